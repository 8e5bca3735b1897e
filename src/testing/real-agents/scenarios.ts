import type { ServerScript } from "../model-server/script.ts";

/** What the model says to the prompts of the scenarios; every number is billed. */
export const SCRIPT: ServerScript = {
  byTag: {
    first: [
      {
        kind: "answer",
        text: "I write the file.",
        tools: [{ kind: "shell", command: "echo made > made.txt" }],
        usage: { inputTokens: 120, cacheWrite1hTokens: 5200, outputTokens: 140 },
      },
      {
        kind: "answer",
        text: "The file is there.",
        usage: { inputTokens: 9, cacheReadTokens: 5200, outputTokens: 21 },
      },
    ],
    again: [
      {
        kind: "answer",
        text: "Second turn.",
        usage: { inputTokens: 14, cacheReadTokens: 5300, outputTokens: 33 },
      },
    ],
    fork: [
      {
        kind: "answer",
        text: "In the fork.",
        usage: { inputTokens: 17, cacheReadTokens: 5300, outputTokens: 29 },
      },
    ],
    job: [
      {
        kind: "answer",
        text: "I write the next file.",
        tools: [
          {
            kind: "shell",
            command: "if [ -e made.txt ]; then echo two > second.txt; else echo made > made.txt; fi",
          },
        ],
        usage: { inputTokens: 210, cacheWrite1hTokens: 6100, outputTokens: 160 },
      },
      {
        kind: "answer",
        text: "Everything is done.",
        usage: { inputTokens: 11, cacheReadTokens: 6100, outputTokens: 17 },
      },
    ],
    readonly: [
      {
        kind: "answer",
        text: "I try to write.",
        tools: [{ kind: "shell", command: "echo no > forbidden.txt" }],
        usage: { inputTokens: 100, outputTokens: 30 },
      },
      { kind: "answer", text: "I could not.", usage: { inputTokens: 130, outputTokens: 12 } },
    ],
    limit: [
      {
        kind: "error",
        status: 429,
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        headers: { "x-should-retry": "false" },
        more: { plan_type: "plus" },
      },
    ],
    nomodel: [
      {
        kind: "error",
        status: 404,
        type: "not_found_error",
        message: "The model `m-0` does not exist or you do not have access to it.",
        headers: { "x-should-retry": "false" },
      },
    ],
  },
};
