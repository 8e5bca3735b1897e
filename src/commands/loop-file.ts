const BRIEF = "The loop file; ./loop.yaml by default";

/** How commands about a loop file take it: as their argument, or as a flag beside other arguments. */
export const LOOP_FILE_ARG = { name: "file", brief: BRIEF, required: false } as const;
export const LOOP_FILE_FLAG = { kind: "text", brief: BRIEF, placeholder: "FILE" } as const;
