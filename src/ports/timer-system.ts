/** The system's own way to start something on time, and what a timer has to say to start this program. */
export interface TimerSystem {
  readonly platform: string;
  readonly homeDir: string;
  readonly configDir: string;
  readonly uid: number;
  /** Words that start this program. */
  readonly program: readonly string[];
  readonly searchPath: string;
  has(program: string): boolean;
  /** Never rejects; a program that cannot be started has no exit code. */
  run(
    words: readonly string[],
    stdin?: string,
  ): Promise<{ readonly exit: number | null; readonly out: string }>;
  /** Gone afterwards, whether it was there or not. */
  removeFile(path: string): Promise<void>;
}
