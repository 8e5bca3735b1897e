/** Where a run document keeps its receipt: only one producer may use the member that the format names for it. */
export const RECEIPT_EXT = "dev.loopwright.receipt";
