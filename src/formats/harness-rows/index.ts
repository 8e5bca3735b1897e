export { type HarnessRow, type HarnessRows, readHarnessRows } from "./read.ts";
