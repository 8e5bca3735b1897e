import type {
  ClientContext,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  SessionConfigOption,
} from "@agentclientprotocol/sdk";
import { client, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import type { Permission } from "../../../ports/provider.ts";
import { type AskedCall, isCovered } from "./grant.ts";

/** What the bridge is started with, as JSON in its one argument; the task itself comes on standard input. */
export interface BridgeOrder {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly permission: Permission;
  readonly model?: string;
  readonly resume?: string;
}

/** A line of what the bridge prints, which `logs/acp` reads. */
export type BridgeLine =
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "update"; readonly update: unknown }
  | { readonly type: "permission"; readonly tool: string; readonly answer: "allowed" | "refused" }
  | { readonly type: "result"; readonly stop: string; readonly usage?: unknown }
  | { readonly type: "error"; readonly message: string; readonly code?: number };

export interface Conversation {
  /** Of the agent. */
  readonly input: WritableStream<Uint8Array>;
  readonly output: ReadableStream<Uint8Array>;
  readonly prompt: string;
  readonly say: (line: BridgeLine) => void;
  /** Rejects when the agent ends. */
  readonly gone: Promise<never>;
  readonly canceled: AbortSignal;
}

const HANDSHAKE_MS = 60_000;

/**
 * One turn with an agent that speaks the Agent Client Protocol, version 1. True when the agent has said how the turn
 * ended, well or not. No files and no terminal are offered to it: it has its own, in the room it runs in.
 */
export async function converse(order: BridgeOrder, talk: Conversation): Promise<boolean> {
  const app = client({ name: "loopwright" })
    .onNotification(methods.client.session.update, asIs, ({ params }) => {
      talk.say({ type: "update", update: field(params, "update") });
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      const call = describe(params.toolCall);
      const allows = isCovered(order.permission, order.cwd, call);
      const wanted = allows ? "allow_once" : "reject_once";
      const option = params.options.find(({ kind }) => kind === wanted);
      const answer = allows && option !== undefined ? "allowed" : "refused";
      talk.say({ type: "permission", tool: params.toolCall.title ?? call.kind, answer });
      return {
        outcome:
          option === undefined
            ? { outcome: "cancelled" }
            : { outcome: "selected", optionId: option.optionId },
      };
    });
  try {
    return await Promise.race([
      talk.gone,
      app.connectWith(ndJsonStream(talk.input, talk.output), (agent) => turn(agent, order, talk)),
    ]);
  } catch (error) {
    talk.say({ type: "error", ...failure(await reasonOf(error, talk.gone)) });
    return false;
  }
}

const END_MS = 1000;

/** A connection that closes under us says little: how the agent ended says why, if it has. */
async function reasonOf(error: unknown, gone: Promise<never>): Promise<unknown> {
  if (!(error instanceof Error) || !/connection closed/i.test(error.message)) return error;
  const ended = gone.catch((how: unknown) => how);
  return Promise.race([ended, new Promise((done) => setTimeout(() => done(error), END_MS).unref())]);
}

async function turn(agent: ClientContext, order: BridgeOrder, talk: Conversation): Promise<boolean> {
  const sessionId = await open(agent, order);
  talk.say({ type: "session", id: sessionId });
  const cancel = () => void agent.notify(methods.agent.session.cancel, { sessionId });
  talk.canceled.addEventListener("abort", cancel);
  const task: PromptRequest = { sessionId, prompt: [{ type: "text", text: talk.prompt }] };
  const answer: PromptResponse = await agent.request(methods.agent.session.prompt, task);
  // Only the unstable schema names it, and agents state it all the same.
  const usage = field(answer, "usage");
  talk.say({ type: "result", stop: answer.stopReason, ...(usage !== undefined && { usage }) });
  return true;
}

async function open(agent: ClientContext, order: BridgeOrder): Promise<string> {
  const begun = await within(
    agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} }),
    "the agent did not answer `initialize`; is it started for the Agent Client Protocol?",
  );
  if (begun.protocolVersion !== PROTOCOL_VERSION) {
    throw new Error(
      `the agent speaks version ${begun.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`,
    );
  }
  const place = { cwd: order.cwd, mcpServers: [] };
  if (order.resume !== undefined) {
    if (begun.agentCapabilities?.loadSession !== true) throw new Error("the agent cannot load a session");
    const loaded = await agent.request(methods.agent.session.load, { ...place, sessionId: order.resume });
    await choose(agent, order, order.resume, loaded?.configOptions ?? []);
    return order.resume;
  }
  const made: NewSessionResponse = await within(
    agent.request(methods.agent.session.new, place),
    "the agent did not answer `session/new`",
  );
  await choose(agent, order, made.sessionId, made.configOptions ?? []);
  return made.sessionId;
}

/** A model is asked for by the option that the agent offers for it; one that is not offered is no model of the agent's. */
async function choose(
  agent: ClientContext,
  { model }: BridgeOrder,
  sessionId: string,
  options: readonly SessionConfigOption[],
): Promise<void> {
  if (model === undefined) return;
  const option = options.find((one) => one.category === "model" && one.type === "select");
  const offered = option?.type === "select" ? valuesOf(option.options) : [];
  if (option === undefined || !offered.includes(model)) {
    const names = offered.length === 0 ? "it lets nobody choose" : `it offers ${offered.join(", ")}`;
    throw new Error(`model ${model} not found: ${names}`);
  }
  const chosen = { sessionId, configId: option.id, value: model };
  await agent.request(methods.agent.session.setConfigOption, chosen);
}

type Options = Extract<SessionConfigOption, { readonly type: "select" }>["options"];

function valuesOf(options: Options): readonly string[] {
  return options.flatMap((one) => ("value" in one ? [one.value] : one.options.map(({ value }) => value)));
}

interface ToolCall {
  readonly kind?: string | null;
  readonly locations?: readonly { readonly path: string }[] | null;
  readonly content?: readonly { readonly type: string }[] | null;
  readonly rawInput?: unknown;
}

function describe({ kind, locations, content, rawInput }: ToolCall): AskedCall {
  const changed = (content ?? []).flatMap((part) => {
    const path = part.type === "diff" ? field(part, "path") : undefined;
    return typeof path === "string" ? [path] : [];
  });
  const command = field(rawInput, "command");
  return {
    kind: kind ?? "other",
    paths: [...(locations ?? []).map(({ path }) => path), ...changed],
    command: typeof command === "string" ? command : undefined,
  };
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

const asIs = (params: unknown): unknown => params;

function failure(error: unknown): { readonly message: string; readonly code?: number } {
  if (error instanceof RequestError) return { message: detailOf(error), code: error.code };
  return { message: error instanceof Error ? error.message : String(error) };
}

/** Agents put what happened into the data of an "Internal error". */
function detailOf({ message, data }: RequestError): string {
  const detail = typeof data === "string" ? data : (field(data, "details") ?? field(data, "message"));
  return typeof detail === "string" ? `${message}: ${detail}` : message;
}

async function within<T>(promise: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), HANDSHAKE_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
