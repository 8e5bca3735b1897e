import * as v from "valibot";
import { fail, ok, type Result } from "../core/result.ts";
import { DESIGN_VERSION, type ShippedPrior } from "../learn/index.ts";

const FINITE = v.pipe(v.number(), v.finite());
const POSITIVE = v.pipe(v.number(), v.finite(), v.minValue(1e-9));
const NOISE = v.optional(v.object({ ln_mean: FINITE, ln_sd: POSITIVE }));
const HEAD = v.object({
  groups: v.record(v.string(), v.object({ ln_phi_mean: FINITE, ln_phi_sd: POSITIVE })),
  nodes: v.array(v.object({ id: v.string(), mean: FINITE, sd: POSITIVE, runs: v.number() })),
  sigma: NOISE,
  omega: NOISE,
});
const PRIOR = v.object({
  version: v.string(),
  design_version: v.number(),
  heads: v.object({
    success: v.optional(HEAD),
    gate: v.optional(HEAD),
    cost: v.optional(HEAD),
    tokens: v.optional(HEAD),
  }),
});

/** A prior from a file of the user's, in the form of the shipped one. */
export function readPrior(text: string, path: string): Result<ShippedPrior> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("bad-json", `${path} is not JSON`);
  }
  const parsed = v.safeParse(PRIOR, value);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return fail("bad-input", `${path} is no prior: ${issue.message}`, { at: v.getDotPath(issue) ?? "$" });
  }
  if (parsed.output.design_version !== DESIGN_VERSION) {
    return fail(
      "bad-input",
      `${path} is for design ${parsed.output.design_version}, this is ${DESIGN_VERSION}`,
    );
  }
  const { version, design_version, heads } = parsed.output;
  return ok({ version, design_version, heads: withoutAbsent(heads) });
}

type Heads = v.InferOutput<typeof PRIOR>["heads"];

function withoutAbsent(heads: Heads): ShippedPrior["heads"] {
  return Object.fromEntries(
    Object.entries(heads).flatMap(([name, head]) => {
      if (head === undefined) return [];
      const { groups, nodes, sigma, omega } = head;
      return [[name, { groups, nodes, ...(sigma && { sigma }), ...(omega && { omega }) }]];
    }),
  );
}
