import { describe, expect, test } from "vitest";
import { MINIMAL_LOOP } from "../../testing/minimal-loop.ts";
import { admit } from "./admit.ts";
import { parseLoop } from "./parse.ts";
import { patchLoop } from "./patch.ts";
import { PROPOSAL_KINDS, PROTECTED_COMPONENTS } from "./policy-types.ts";

const ALL = { allowedKinds: PROPOSAL_KINDS };
const GUARDED = { components: PROTECTED_COMPONENTS, extraPaths: [] };
const OPEN = { components: [], extraPaths: [] };

function why(path: string, value: unknown = "x", protection: Parameters<typeof admit>[2] = GUARDED): string {
  const admission = admit({ path, value: value as never }, ALL, protection);
  return admission.isAdmitted ? admission.kind : admission.why;
}

describe("a change of a loop file", () => {
  test.each([
    ["safety.gates.stop.max_iterations", "safety.gates is protected"],
    ["safety.limits", "safety.limits is protected"],
    ["safety", "safety.protected is protected"],
    ["safety.limits.per_piece.build.max_tokens", "safety.limits is protected"],
    [
      "execution.providers.providers[claude].requires_env",
      "execution.providers.providers.requires_env is protected",
    ],
    ["execution.providers", "execution.providers.providers.requires_env is protected"],
    ["evolution.allowed_kinds", "evolution is protected"],
    ["features.self_evolution", "features is protected"],
    ["execution.memory.namespaces.semantic.promotion", "execution.memory.namespaces is protected"],
    ["execution.skills.min_trust_level", "execution.skills.min_trust_level is protected"],
    ["name", "name is nothing that may be proposed"],
    ["a..b", "a..b is no path of a loop file"],
  ])("is refused at %s", (path, reason) => {
    expect(why(path)).toBe(reason);
  });

  test("is refused for what its value holds, inside lists too", () => {
    expect(why("safety", { protected: { components: [] } }, OPEN)).toBe("safety.protected is protected");
    const providers = [{ id: "x", requires_env: ["KEY"] }];
    expect(why("execution.providers.providers", providers)).toContain("requires_env is protected");
  });

  test("the protected list protects itself", () => {
    expect(why("safety.protected.components", [], OPEN)).toBe("safety.protected is protected");
    expect(why("evolution.max_regression", 1, OPEN)).toBe("evolution is protected");
  });

  test("a sibling sharing a prefix is not protected by accident", () => {
    const extra = { components: [], extraPaths: ["execution.graph.nodes.skill", "safety.check"] };
    expect(why("execution.graph.nodes[build].skills", [], extra)).toBe("skill_update");
    expect(why("safety.checks[tests].statement", "x", extra)).toBe("validation_change");
    const own = { components: [], extraPaths: ["execution.graph.nodes[build].instruction"] };
    expect(why("execution.graph.pieces[build].instruction", "x", own)).toContain("is protected");
  });

  test.each([
    ["execution.graph.nodes[build].instruction", "prompt_change"],
    ["execution.graph.nodes[build].tier", "provider_routing"],
    ["execution.graph.concurrency.mode", "graph_change"],
    ["intent.success", "success_criteria"],
    ["execution.skills.explore", "new_skill"],
  ])("at %s is a %s, and only allowed kinds are admitted", (path, kind) => {
    expect(why(path)).toBe(kind);
    const allowedKinds = PROPOSAL_KINDS.filter((one) => one !== kind);
    expect(admit({ path, value: "x" }, { allowedKinds }, GUARDED)).toMatchObject({
      isAdmitted: false,
      why: `${kind} is not in evolution.allowed_kinds`,
    });
  });
});

describe("a patch", () => {
  const path = "execution.graph.nodes[build].instruction";

  test("exchanges one value and leaves the rest as it is written, comments too", async () => {
    const text = MINIMAL_LOOP.replace("      - id: build", "      - id: build # the one that works");
    const patched = await patchLoop(text, "loop.yaml", { path, value: "Mend it." });
    if (!patched.ok) throw new Error(patched.problem.message);
    expect(patched.value).toContain("# the one that works");
    const [before, after] = [await parseLoop(text, "a.yaml"), await parseLoop(patched.value, "b.yaml")];
    expect(after.loop?.pieces[0]?.instruction).toBe("Mend it.");
    const same = before.loop?.pieces.map((piece, index) =>
      index === 0 ? { ...piece, instruction: "Mend it." } : piece,
    );
    expect(after.loop).toEqual({ ...before.loop, pieces: same });
  });

  test("adds what is not written yet, under either spelling, and in Markdown", async () => {
    const pieces = MINIMAL_LOOP.replace("    nodes:", "    pieces:");
    const skills = { path: "execution.graph.nodes[build].skills", value: ["pdf"] };
    const patched = await patchLoop(pieces, "loop.yaml", skills);
    expect(patched.ok && (await parseLoop(patched.value, "a.yaml")).loop?.pieces[0]?.skills).toEqual(["pdf"]);
    const explore = { path: "execution.skills.explore", value: true };
    const markdown = "# tidy\n\n## Goals\n\n### green\n- description: Every test of the project passes.\n";
    const written = await patchLoop(markdown, "loop.md", explore);
    expect(written.ok && written.value).toMatch(/## Skills\n+- explore: true/);
  });

  test("goes where a key has no value yet, and is refused where it has another kind of value", async () => {
    const explore = { path: "execution.skills.explore", value: true };
    const empty = await patchLoop("name: a\nexecution:\n", "loop.yaml", explore);
    expect(empty).toEqual({ ok: true, value: "name: a\nexecution:\n  skills:\n    explore: true\n" });
    expect(await patchLoop("name: a\nexecution: 7\n", "loop.yaml", explore)).toMatchObject({ ok: false });
  });

  test("of a member that is not there is refused", async () => {
    expect(
      await patchLoop(MINIMAL_LOOP, "loop.yaml", { path: path.replace("build", "gone"), value: "x" }),
    ).toMatchObject({
      ok: false,
      problem: { message: "execution.graph.nodes[gone].instruction: there is no gone" },
    });
  });
});
