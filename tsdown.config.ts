import { defineConfig } from "tsdown";

/** What every command loads is one file: each file of a cold start costs about a millisecond. */
const ALWAYS_LOADED =
  /[\\/]src[\\/](core[\\/]|run[\\/](decide|fold|retry|state|lifecycle|inbox|moves)\.ts|commands[\\/](exit-codes|flag-values|schema|session-view|problem-exit)\.ts)/;

export default defineConfig({
  entry: {
    cli: "src/bin/cli.ts",
    loop: "src/bin/loop.ts",
    heartbeat: "src/bin/heartbeat.ts",
    "log-reader": "src/bin/log-reader.ts",
  },
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  dts: false,
  clean: true,
  deps: { alwaysBundle: [/.*/], neverBundle: ["@photostructure/sqlite", /^node:/] },
  outputOptions: { codeSplitting: { groups: [{ name: "core", test: ALWAYS_LOADED }] } },
});
