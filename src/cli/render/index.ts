import type { JsonObject } from "../../core/canonical-json.ts";
import { renderList } from "./lists.ts";
import { reconciledLines, renderLogs } from "./logs.ts";
import { renderLearner, renderRecommendation } from "./planner.ts";
import { renderDryRun, renderLedger, renderPlan } from "./plans.ts";
import { renderRecords } from "./records.ts";
import { renderSession } from "./session.ts";
import { renderWorkflows } from "./workflows.ts";

export interface RenderOptions {
  readonly columns: number;
  readonly color: boolean;
  readonly name: string;
}

/** A command's answer as text for people, chosen by its schema. Ends with a line feed unless it is empty. */
export function render(json: JsonObject, options: RenderOptions): string {
  const schema = String(json["schema"] ?? "");
  const name = /^loopwright\.(.+)\/\d+$/.exec(schema)?.[1] ?? "";
  const lines = linesOf(name, json, options);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function linesOf(name: string, json: JsonObject, options: RenderOptions): readonly string[] {
  switch (name) {
    case "go":
    case "loop-start":
    case "loop-resume":
    case "status":
      return renderSession(name, json, options);
    case "experiment-start":
    case "experiment-status":
    case "experiment-decide":
    case "experiment-compare":
    case "fit":
    case "posterior":
    case "prior":
    case "report":
      return renderLearner(name, json, options);
    case "recommend":
      return renderRecommendation(json, options);
    case "demo":
      return [...renderSession(name, json, options), ...reconciledLines(json, options.columns)];
    case "dry-run":
      return renderDryRun(json);
    case "loop-convert":
    case "loop-migrate":
    case "loop-export":
    case "loop-new":
    case "loop-permissions":
    case "store-check":
    case "loop-gate":
    case "loop-plan":
    case "loop-validate":
    case "loop-watch":
    case "loop-schedule":
    case "skills-list":
    case "skills-search":
    case "skills-add":
    case "skills-scores":
    case "skills-promote":
    case "skills-setup":
    case "skills-remove":
    case "proposals-list":
    case "proposals-show":
    case "proposals-apply":
    case "memory-list":
    case "memory-promote":
    case "memory-forget":
      return renderPlan(json);
    case "ledger-verify":
      return renderLedger(json);
    case "workflows-list":
    case "workflows-show":
    case "workflows-validate":
    case "workflows-diff":
    case "task-types":
      return renderWorkflows(name, json, options);
    case "diff":
      // A patch may end in an empty line of context, without which it cannot be applied.
      return String(json["patch"]).replace(/\n$/, "").split("\n");
    case "ocp-validate":
    case "ocp-migrate":
    case "run-import":
    case "run-start":
    case "run-attempt":
    case "run-artifact":
    case "run-record":
    case "run-finish":
    case "run-sessions":
    case "outcome":
    case "budget":
    case "config-get":
    case "config-set":
    case "config-unset":
      return renderRecords(name, json, options);
    case "scan":
    case "analyze":
    case "prices-show":
    case "prices-validate":
    case "graph":
    case "adapt":
      return renderLogs(name, json, options);
    default:
      return renderList(name, json, options);
  }
}
