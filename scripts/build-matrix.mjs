// Builds src/learn/kernels/wasm.ts from scripts/matrix/matrix.ts.
import { buildWasm } from "./build-wasm.mjs";

buildWasm({
  name: "MATRIX",
  source: "scripts/matrix/matrix.ts",
  target: "src/learn/kernels/wasm.ts",
  command: "node scripts/build-matrix.mjs",
});
