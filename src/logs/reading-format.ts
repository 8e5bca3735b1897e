/** Changes whenever a reading could come out differently: what was kept in other formats is not used. */
export const READING_FORMAT = "loopwright-logs/14";
