export { ATRIUM_DATABASE, AtriumParser, atriumTrees } from "./atrium.ts";
export { BB_DATABASE, BbParser, bbTrees } from "./bb.ts";
export { ORCA_DATABASE, OrcaParser, orcaTrees } from "./orca.ts";
export { paseoGroup, paseoParser, paseoTrees } from "./paseo.ts";
