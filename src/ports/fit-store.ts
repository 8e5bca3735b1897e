/** Where the last fit is kept between two commands. It can be thrown away at any time: a fit is made anew then. */
export interface FitStore {
  /** Undefined when there is none, or it cannot be read. */
  read(): Uint8Array | undefined;
  /** Whole or not at all, in place of the one before; a failure leaves things as they were. */
  write(fit: Uint8Array): void;
}
