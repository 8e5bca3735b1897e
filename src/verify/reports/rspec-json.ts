import * as v from "valibot";
import { readJson } from "./json-text.ts";
import { type ParseReport, portableName, relativeTo } from "./types.ts";

const Report = v.object({
  examples: v.array(v.object({ full_description: v.string(), status: v.string(), file_path: v.string() })),
});

/** The JSON formatter of RSpec. The full description holds the suite path. */
export const parseRspecJson: ParseReport = async ({ file: text }, { root }) => {
  const report = readJson(Report, text);
  if (report === undefined) return undefined;
  return {
    results: report.examples.map((example) => ({
      id: {
        file: relativeTo(root, example.file_path),
        suite: [],
        name: portableName(root, example.full_description),
      },
      status: example.status === "passed" ? "passed" : example.status === "pending" ? "skipped" : "failed",
    })),
    brokenFiles: [],
    source: "file",
  };
};
