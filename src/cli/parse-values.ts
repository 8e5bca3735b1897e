import type { FlagSpec, FlagValue } from "../commands/types.ts";
import { parseDurationMs } from "../core/time.ts";

/**
 * One flag's text as the value its command reads.
 * @throws Error with the sentence that the user sees; the argument scanner asks for exceptions
 */
export function parseFlag(spec: FlagSpec, text: string): FlagValue {
  switch (spec.kind) {
    case "boolean":
      return true;
    case "text":
      return text;
    case "count":
      if (/^\d{1,15}$/.test(text) && Number(text) >= (spec.atLeast ?? 0)) return Number(text);
      throw new Error(`expected a whole number${atLeast(spec.atLeast)}, got "${text}"`);
    case "duration": {
      const ms = parseDurationMs(text);
      if (ms !== undefined && ms > 0) return ms;
      throw new Error(`expected a time such as 90s, 15m or 4h, got "${text}"`);
    }
    case "usd": {
      if (/^\$?\d+(\.\d{1,6})?$/.test(text)) return Math.round(Number(text.replace("$", "")) * 1e6);
      throw new Error(`expected dollars such as 5 or 2.50, got "${text}"`);
    }
    case "choice":
      if (spec.choices.includes(text)) return text;
      throw new Error(`expected one of ${spec.choices.join(", ")}, got "${text}"`);
  }
}

function atLeast(least: number | undefined): string {
  return least === undefined ? "" : ` of at least ${least}`;
}
