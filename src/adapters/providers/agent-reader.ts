import type { AgentStream, FinishedStream } from "../../ports/agent-stream.ts";
import type { ModelUsage, ProviderTask, StreamReader } from "../../ports/provider.ts";
import { type AgentVoice, endOfAgent, type Trouble } from "./ending.ts";
import { createTextTail } from "./text-tail.ts";

const STDERR_KEPT_BYTES = 8 * 1024;
/** Older Claude Code versions end well with this as their whole answer. */
const LIMIT_NOTICE = /^Claude AI usage limit reached\|\d{10,13}$/;

export interface AgentReading {
  readonly stream: AgentStream;
  readonly task: Pick<ProviderTask, "resume">;
  readonly voice: AgentVoice;
  readonly before?: readonly ModelUsage[];
}

/**
 * Reads the streams of an agent with structured output. Spend is the share of this attempt alone; for a session that was
 * resumed without knowing what it had stated before, it is unknown rather than too much.
 */
export function createAgentReader(reading: AgentReading): StreamReader {
  const stderr = createTextTail(STDERR_KEPT_BYTES);
  const { stream, task, voice } = reading;
  const before = reading.before ?? (task.resume === undefined ? undefined : "unknown");
  return {
    push(chunk, source) {
      if (source === "stdout") return stream.push(chunk);
      stderr.push(chunk);
      return [];
    },
    finish(end, nowMs) {
      const finished = refusalAsError(stream.finish());
      const text = [finished.errorText, finished.isError ? finished.summary : "", stderr.lastLine()];
      const trouble: Trouble = {
        text: text.find((part) => part !== undefined && part !== "") ?? "",
        ...(finished.errorStatus === undefined ? {} : { status: finished.errorStatus }),
        ...(finished.limitResetsAtMs === undefined ? {} : { resetsAtMs: finished.limitResetsAtMs }),
      };
      return {
        end: endOfAgent(finished, end, trouble, voice, nowMs),
        ...(finished.session === undefined ? {} : { agentSession: finished.session }),
        ...(finished.model === undefined ? {} : { model: finished.model }),
        summary: finished.summary,
        usage: stream.attributable(finished, before),
        ...(finished.perModel.length === 0 ? {} : { cumulative: finished.perModel }),
      };
    },
  };
}

function refusalAsError(finished: FinishedStream): FinishedStream {
  if (!LIMIT_NOTICE.test(finished.summary.trim())) return finished;
  return { ...finished, isError: true, errorText: finished.summary.trim() };
}
