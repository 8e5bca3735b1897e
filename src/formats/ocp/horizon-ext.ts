/** Where a task says its time box, in seconds or `none`. */
export const HORIZON_EXT = "dev.loopwright.horizon";
