/** A thread that fits heads while this one goes on. */
export interface FitThread {
  /**
   * Takes a job of `headJob`, with its arrays, and gives the bytes of `doneHead`. Rejects when the thread is no more:
   * who asked then does it here.
   */
  fit(job: object, arrays: readonly ArrayBufferLike[]): Promise<Uint8Array>;
}
