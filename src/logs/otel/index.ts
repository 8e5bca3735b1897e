export { OtelParser } from "./parser.ts";
