/** `LOOPWRIGHT_KILLS`: how many random kills; from 100 on the other suites leave nothing out either. */
export const KILLS = Number(process.env["LOOPWRIGHT_KILLS"] ?? 20);
export const isThorough = KILLS >= 100;
/** `LOOPWRIGHT_SEED`: what the chances follow from. */
export const SEED = Number(process.env["LOOPWRIGHT_SEED"] ?? 9);
