// Builds src/logs/sift/wasm.ts from scripts/sift/sift.ts.
import { buildWasm } from "./build-wasm.mjs";

buildWasm({
  name: "SIFT",
  source: "scripts/sift/sift.ts",
  target: "src/logs/sift/wasm.ts",
  command: "node scripts/build-sift.mjs",
});
