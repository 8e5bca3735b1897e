import type { Command } from "./types.ts";

export const LOOP_FILE_COMMANDS: readonly Command[] = [];
