/** How a program is given one task without a person, as its makers document it. */
export interface AgentCommand {
  readonly args: readonly string[];
  readonly promptOnStdin: boolean;
  /** Added when a model is named. */
  readonly modelArgs?: readonly string[];
  /** Added for what the piece may do; a program that takes none of these has its own settings for it. */
  readonly permissionArgs?: Readonly<Partial<Record<"read" | "edit" | "full", readonly string[]>>>;
}

/** Programs whose output is plain text: what they spend is estimated by its length, and has no price of its own. */
export const AGENT_COMMANDS = {
  gemini: {
    args: ["-p", "{prompt}"],
    promptOnStdin: false,
    modelArgs: ["-m", "{model}"],
    permissionArgs: { edit: ["--approval-mode", "auto_edit"], full: ["--approval-mode", "yolo"] },
  },
  opencode: { args: ["run", "{prompt}"], promptOnStdin: false, modelArgs: ["-m", "{model}"] },
  grok: {
    args: ["-p", "{prompt}"],
    promptOnStdin: false,
    modelArgs: ["-m", "{model}"],
    permissionArgs: { full: ["--always-approve"] },
  },
  hermes: {
    args: ["chat", "--oneshot", "-q", "{prompt}"],
    promptOnStdin: false,
    modelArgs: ["-m", "{model}"],
    permissionArgs: { full: ["--yolo"] },
  },
  /** Answers, and changes no files. */
  ollama: { args: ["run", "{model}"], promptOnStdin: true },
} as const satisfies Readonly<Record<string, AgentCommand>>;
