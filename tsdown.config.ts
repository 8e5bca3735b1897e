import { defineConfig } from "tsdown";

export default defineConfig({
  entry: { cli: "src/bin/cli.ts", loop: "src/bin/loop.ts", heartbeat: "src/bin/heartbeat.ts" },
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  dts: false,
  clean: true,
  noExternal: [/.*/],
  external: ["@photostructure/sqlite", /^node:/],
});
