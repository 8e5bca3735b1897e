import { formatMicroUsd } from "../core/money.ts";
import { formatDuration } from "../core/time.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import type { SessionSpec } from "../run/spec.ts";
import { describeProtection } from "../verify/protect.ts";

const LABEL_WIDTH = 13;

/** What is about to happen, in aligned lines: shown before the first dispatch, so that a mistyped limit is seen in time. */
export function describeFrozen(spec: SessionSpec): readonly string[] {
  const { limits } = spec;
  const cap =
    limits.maxMicroUsd === undefined ? "no dollar cap" : `at most ${formatMicroUsd(limits.maxMicroUsd)}`;
  const lines: readonly (readonly [string, string])[] = [
    ["goal", spec.title],
    ...spec.commands.map((command, index) => [index === 0 ? "check" : "", checkText(command)] as const),
    ["agent", spec.providers.map(agentText).join(", ")],
    [
      "limits",
      `${limits.maxIterations} iteration${limits.maxIterations === 1 ? "" : "s"} · ${formatDuration(limits.maxRunningMs)} · ${cap}`,
    ],
    ...(spec.threat === undefined ? [] : [["threat", "every agent works in a sandbox"] as const]),
    ...describeProtection(spec.gate.protection),
  ];
  return lines.map(([label, text]) => label.padEnd(LABEL_WIDTH) + text);
}

/** `claude-code claude-opus-5`, or the words of a command. */
function agentText(provider: ProviderSpec): string {
  const { id, model } = provider;
  if (provider.kind === "command" && id === provider.kind) return provider.argv.join(" ");
  return model === undefined ? id : `${id} ${model}`;
}

/** `npm test (node --test, counted test by test)` */
function checkText({ check, text, via, runner }: SessionSpec["commands"][number]): string {
  const facts = [
    ...(via.length > 0 ? [text] : []),
    ...(runner === undefined ? [] : ["counted test by test"]),
  ];
  return facts.length === 0 ? check : `${check} (${facts.join(", ")})`;
}
