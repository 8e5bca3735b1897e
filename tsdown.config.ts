import { defineConfig } from "tsdown";
import { slimCatalogue } from "./scripts/slim-catalogue.ts";

/** Each file of a cold start costs one to two milliseconds: what every thread loads is one file, ... */
const BASE = /[\\/]src[\\/](core[\\/]|logs[\\/]prices[\\/]names\.ts)/;
/** ... what every command loads is another, ... */
const ALWAYS_LOADED =
  /[\\/]src[\\/](bin[\\/]run\.ts|bin[\\/]version\.ts|compose\.ts|compose-crash\.ts|adapters[\\/]system[\\/]clock\.ts|adapters[\\/]process[\\/](ancestry|proc-table|process-table|shim)\.ts|cli[\\/](?!render|loopsmith)|run[\\/](decide|fold|fold-gates|retry|state|lifecycle|inbox|moves)\.ts|commands[\\/](table|exit-codes|flag-values|schema|session-view|problem-exit)\.ts)|node_modules[\\/]@stricli[\\/]|package\.json/;
/** ... what opens the store is one, ... */
const STORE = /[\\/]src[\\/]adapters[\\/]store-sqlite[\\/]/;
/** ... and so is what says what a run came to, which hooks call after each commit, ... */
const JUDGING = /[\\/]src[\\/](commands[\\/]outcome|record[\\/]judging)\.ts/;
/** ... what tells workflows and settings, ... */
const WORKFLOWS =
  /[\\/]src[\\/](formats[\\/](workflow|config)[\\/]index|commands[\\/](home-config|find-workflow|run-task|budget))\.ts|node_modules[\\/]valibot[\\/]/;
/** ... what knows prices, ... */
const PRICES = /[\\/]src[\\/]logs[\\/]prices[\\/](?!catalogue|remembered|names)/;
/** ... what finds logs and what every reader of them needs, ... */
const LOGS =
  /[\\/]src[\\/](compose-sources\.ts|adapters[\\/]log-(cache|files)[\\/]|logs[\\/](agent-places|databases|fields|pack|summary|text-hash|reading-format)\.ts)/;
/** ... what reads agents' streams, ... */
const STREAMS = /[\\/]src[\\/]logs[\\/](claude-code|codex)[\\/]stream\.ts/;
/** ... their whole logs, which is all that a scan's second thread loads, ... */
const LOG_READING = /[\\/]src[\\/](compose-batches|logs[\\/]group-reading)\.ts/;
/** ... what a scan is where nothing is new, ... */
const SCANNING =
  /[\\/]src[\\/](compose-(logs|prices)|commands[\\/](scan|log-scan|spend-view)|logs[\\/](spend|totals-scan|list-groups))\.ts/;
/** ... what foretells, ... */
const PLANNING = /[\\/]src[\\/](commands[\\/]recommend(-run)?|commands[\\/]learned)\.ts/;
/** ... and what only reads the store is another. */
const READING =
  /[\\/]src[\\/](adapters[\\/]git[\\/]discover\.ts|commands[\\/](status|find-session|live|resume-command|runs|moment)\.ts|cli[\\/]render[\\/](index|session|lists)\.ts)/;

export default defineConfig({
  entry: {
    cli: "src/bin/cli.ts",
    loop: "src/bin/loop.ts",
    loopsmith: "src/bin/loopsmith.ts",
    heartbeat: "src/bin/heartbeat.ts",
    "log-reader": "src/bin/log-reader.ts",
    "fit-thread": "src/bin/fit-thread.ts",
    "acp-bridge": "src/bin/acp-bridge.ts",
  },
  // Node loads a CommonJS file in less time than one of the other kind.
  format: "cjs",
  platform: "node",
  target: "node20",
  minify: true,
  dts: false,
  clean: true,
  plugins: [
    {
      name: "slim-catalogue",
      transform: {
        filter: { id: /genai-prices[\\/]dist[\\/]index\.js$/ },
        handler: slimCatalogue,
      },
    },
  ],
  deps: { alwaysBundle: [/.*/], neverBundle: ["@photostructure/sqlite", /^node:/] },
  outputOptions: {
    codeSplitting: {
      groups: [
        { name: "base", test: BASE, priority: 7 },
        { name: "core", test: ALWAYS_LOADED, priority: 6 },
        { name: "store", test: STORE, priority: 5 },
        { name: "judging", test: JUDGING, priority: 4 },
        { name: "workflows", test: WORKFLOWS, priority: 3 },
        { name: "prices", test: PRICES, priority: 3 },
        { name: "logs", test: LOGS, priority: 4 },
        { name: "streams", test: STREAMS, priority: 3 },
        { name: "log-reading", test: LOG_READING, priority: 2 },
        { name: "scanning", test: SCANNING, priority: 2 },
        { name: "planning", test: PLANNING, priority: 2 },
        { name: "reading", test: READING, priority: 1 },
      ],
    },
  },
});
