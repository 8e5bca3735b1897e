import { BadCount, type Fields, fields, list, text, timeMs } from "../fields.ts";
import type { PlainFacts } from "../plain-calls.ts";
import { WholeDocument } from "../whole-document.ts";
import { readGeminiCall } from "./schema.ts";

/** Reads one session document of Gemini CLI. */
export function geminiParser(path: string): WholeDocument {
  return new WholeDocument(path, readSession);
}

function readSession(document: Fields, facts: PlainFacts): void {
  const id = text(document["sessionId"]);
  const startMs = timeMs(document["startTime"]);
  const lastAtMs = timeMs(document["lastUpdated"]);
  if (id !== undefined) facts.session = id;
  if (startMs !== undefined) facts.startMs = startMs;
  if (lastAtMs !== undefined) facts.lastAtMs = lastAtMs;
  for (const [i, entry] of list(document["messages"]).entries()) readMessage(entry, i, facts);
}

function readMessage(entry: unknown, i: number, facts: PlainFacts): void {
  const message = fields(entry);
  if (message === undefined) return;
  if (message["type"] === "error") facts.errors += 1;
  try {
    const call = readGeminiCall(message);
    if (call !== undefined) facts.calls.push(call);
  } catch (error) {
    if (!(error instanceof BadCount)) throw error;
    facts.warnings.push(`message ${i + 1}: ${error.message}`);
  }
}
