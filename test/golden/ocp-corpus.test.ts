import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configurationId, migrateOcp, validateOcp } from "../../src/formats/ocp/index.ts";
import { inferConfiguration } from "../../src/formats/workflow/index.ts";
import { sharedData } from "./shared-data.ts";

const corpus = sharedData("corpus/ocp");
const example = sharedData("reference/ocp-complete-example.ocp.json");

/** Codes that a published sample must give; every other sample gives none. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "golden/artifacts.ocp.json": ["W180"],
  "golden/minimal-run.ocp.json": ["W180"],
  "golden/broken-tier.ocp.json": ["E010", "W180", "E160"],
  "golden/v0.3/E190-fail.ocp.json": ["E190"],
  "golden/v0.3/E191-fail.ocp.json": ["E191"],
  "golden/v0.3/E193-fail.ocp.json": ["E193"],
  "golden/v0.3/E195-fail.ocp.json": ["E195"],
  "golden/v0.3/W196-fail.ocp.json": ["W196"],
  "review-loop-v03.ocp.json": ["W180"],
};

describe.skipIf(corpus === undefined)("published sample documents", () => {
  const root = corpus ?? "";
  const files = (corpus === undefined ? [] : readdirSync(root, { recursive: true, encoding: "utf8" }))
    .filter((name) => name.endsWith(".ocp.json"))
    .sort();

  test.each(files)("%s gives exactly the published findings", (name) => {
    const report = validateOcp(readFileSync(join(root, name)));
    const codes = report.findings.map(({ code, path, message }) => [code, path, message]);
    expect(codes.map(([code]) => code)).toEqual(EXPECTED[name] ?? []);
    expect(report.ok).toBe(!(EXPECTED[name] ?? []).some((code) => code.startsWith("E")));
  });

  test.each(files.filter((name) => name !== "golden/v0.3/E190-fail.ocp.json"))(
    "%s states the configuration id that we compute",
    (name) => {
      const { configuration } = JSON.parse(readFileSync(join(root, name), "utf8")).run;
      if (configuration?.id !== undefined) expect(configurationId(configuration)).toBe(configuration.id);
    },
  );
});

test.skipIf(example === undefined)("the complete example passes without a finding", () => {
  expect(validateOcp(readFileSync(example ?? "")).findings).toEqual([]);
});

test.skipIf(corpus === undefined)("the published migration pair agrees byte for byte", () => {
  const migrated = migrateOcp(
    readFileSync(join(corpus ?? "", "migrate/labeled-v02.ocp.json")),
    inferConfiguration,
  );
  const expected = readFileSync(join(corpus ?? "", "migrate/labeled-v02.expected.ocp.json"), "utf8");
  expect(migrated.ok && migrated.value.text).toBe(expected);
});

test.skipIf(corpus === undefined)(
  "a migration tells the same workflow as the published one, in our words",
  () => {
    const old = readFileSync(join(corpus ?? "", "review-loop-v01.ocp.json"));
    const migrated = migrateOcp(old, inferConfiguration);
    const expected = JSON.parse(readFileSync(join(corpus ?? "", "review-loop-v03.ocp.json"), "utf8"));
    const document = JSON.parse(migrated.ok ? migrated.value.text : "{}");
    const [ours, theirs] = [document.run.configuration.reasons, expected.run.configuration.reasons];
    expect(ours).toHaveLength(theirs.length);
    expected.run.configuration.reasons = ours;
    expect(JSON.stringify(document)).toBe(JSON.stringify(expected));
  },
);
