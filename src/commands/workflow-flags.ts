import { GATE_LEVELS } from "../ports/check-rooms.ts";
import type { FlagSpec } from "./types.ts";

/** The flags of every command that can run a workflow. */
export const WORKFLOW_FLAGS: Readonly<Record<string, FlagSpec>> = {
  workflow: {
    kind: "text",
    brief: "Work by this workflow: a name of the catalogue or a TOML file",
    placeholder: "NAME",
  },
  set: {
    kind: "text",
    brief:
      "Who does a piece of the workflow: PIECE=HARNESS:MODEL:EFFORT or PIECE=command:CMDLINE; repeatable",
    placeholder: "PIECE=WHO",
    repeatable: true,
  },
  sameFamily: { kind: "boolean", brief: "Let a reviewer judge work of its own family" },
};

export const THREAT_FLAG: FlagSpec = {
  kind: "choice",
  brief: "sandboxed: no agent is started that could reach the store or write beyond its folder",
  choices: ["same-user", "sandboxed"],
};

export const LEVEL_FLAG: FlagSpec = {
  kind: "choice",
  brief: "Demand this strength of judging",
  choices: [...GATE_LEVELS],
};
