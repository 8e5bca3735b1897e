/** `LOOPWRIGHT_KILLS`: how many random kills. */
export const KILLS = Number(process.env["LOOPWRIGHT_KILLS"] ?? 20);
/** `LOOPWRIGHT_THOROUGH`: the suites that take a part of all moments leave none out. */
export const isThorough = process.env["LOOPWRIGHT_THOROUGH"] === "1";
/** `LOOPWRIGHT_SEED`: what the chances follow from. */
export const SEED = Number(process.env["LOOPWRIGHT_SEED"] ?? 9);
