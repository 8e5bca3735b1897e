import { defineConfig } from "vitest/config";

/**
 * Four suites: `unit` beside the source, `contract` over real git, processes, databases and package managers,
 * `e2e` through the built program, `crash` with real kills.
 */
const ROOM_TESTS = "src/adapters/rooms/{clean,snapshot,in-place}.test.ts";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/{boundary,golden,guarantees,property}/**/*.test.ts"],
          exclude: [ROOM_TESTS],
          // Far beyond what any takes: on a busy machine the slowest needs ten times its two seconds.
          testTimeout: 60_000,
          // Pure code leaves nothing behind for the next file, and loading it anew for each takes half of the time.
          isolate: false,
        },
      },
      {
        test: {
          name: "contract",
          include: ["test/contract/**/*.test.ts", ROOM_TESTS],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/build-once.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "crash",
          include: ["test/crash/**/*.test.ts"],
          globalSetup: ["test/build-once.ts"],
          testTimeout: 900_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
