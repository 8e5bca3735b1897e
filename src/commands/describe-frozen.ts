import { formatMicroUsd } from "../core/money.ts";
import { formatDuration } from "../core/time.ts";
import type { SessionSpec } from "../run/spec.ts";
import { describeProtection } from "../verify/protect.ts";

/** What is about to happen, in lines: shown before the first dispatch, so that a mistyped limit is seen in time. */
export function describeFrozen(spec: SessionSpec): readonly string[] {
  const { limits } = spec;
  const cap =
    limits.maxMicroUsd === undefined ? "no dollar cap" : `at most ${formatMicroUsd(limits.maxMicroUsd)}`;
  return [
    `goal: ${spec.title}`,
    `checks: ${spec.commands.map(checkText).join(" · ")}`,
    `agent: ${spec.providers.map((provider) => provider.id).join(", ")}`,
    `limits: ${limits.maxIterations} iterations, ${formatDuration(limits.maxRunningMs)}, ${cap}`,
    ...describeProtection(spec.gate.protection),
  ];
}

/** `npm test (node --test, asked for its test ids)` */
function checkText({ check, text, via, runner }: SessionSpec["commands"][number]): string {
  const facts = [...(via.length > 0 ? [text] : []), ...(runner === undefined ? [] : [`${runner} test ids`])];
  return facts.length === 0 ? check : `${check} (${facts.join(", ")})`;
}
