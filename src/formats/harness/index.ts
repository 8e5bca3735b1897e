export { HARNESS_PLACES, type HarnessFile, type HarnessRecord, readHarness } from "./read.ts";
