export { OpencodeParser } from "./parser.ts";
export { opencodeTrees } from "./paths.ts";
export { OPENCODE_DATABASE } from "./queries.ts";
