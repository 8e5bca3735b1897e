import { defineConfig } from "vitest/config";

/** Three suites: `unit` beside the source, `e2e` through the built program, `crash` with real kills. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/{boundary,contract,golden,property,docs}/**/*.test.ts"],
          testTimeout: 20_000,
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
          testTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
