import { expect, test } from "vitest";
import { HAS_BROWSER, openPage } from "../browser.ts";
import { openCliLab } from "../cli-lab.ts";

const at = (minute: number): string => `2026-11-01T10:${minute}:00.000Z`;

const HOSTILE = "<img src=x onerror=alert(1)>";

/** Two builders and a reviewer whose name would break out of a careless page. */
const RUN = {
  ocp: "0.3",
  producer: { name: "t", version: "1", emitted_at: at(59) },
  privacy: { profile: "metadata_only" },
  run: { id: "run_1" },
  nodes: ["build", HOSTILE].map((id) => ({ id, kind: "task" })),
  edges: [{ from: "build", to: HOSTILE, tier: "reported" }],
  attempts: [
    attempt("build.a1", "build", 10, { usd: 0.5, requests: 12, output_tokens: 100 }, "opus", "dev"),
    attempt("build.a2", "build", 20, { usd: 2, requests: 9, output_tokens: 900 }, "sonnet", "dev"),
    attempt("review.a1", HOSTILE, 30, undefined, HOSTILE, "reviewer"),
  ],
};

function attempt(
  id: string,
  node: string,
  minute: number,
  cost: object | undefined,
  raw: string,
  role: string,
) {
  return {
    id,
    node,
    harness: "codex",
    model: { raw },
    role: { value: role, tier: "reported", evidence: null },
    status: "done",
    started_at: at(minute),
    ended_at: at(minute + 5),
    outcome: { result: "done" },
    ...(cost === undefined ? {} : { cost: { ...cost, basis: "measured" } }),
  };
}

test.skipIf(!HAS_BROWSER)(
  "the page of a graph sorts and filters in a browser and asks no server",
  async () => {
    const lab = openCliLab();
    const file = lab.path("graph.html");
    const made = await lab.run(
      "graph",
      "--ocp",
      lab.write("run.ocp.json", RUN),
      "--format",
      "html",
      "--out",
      file,
    );
    expect(made.json).toMatchObject({ ok: true });
    const { page, faults } = await openPage(file);
    const column = (name: string) => page.getByRole("button", { name, exact: true });
    const shown = () => page.locator("tbody tr:visible td:first-child").allTextContents();
    expect(await page.locator("p").first().textContent()).toBe(
      "3 sessions, 1 edge, $2.50 known; 1 session without a known cost",
    );
    await column("cost").click();
    expect(await shown()).toEqual(["build.a1", "build.a2", "review.a1"]);
    await column("cost").click();
    // The unknown stays last either way.
    expect(await shown()).toEqual(["build.a2", "build.a1", "review.a1"]);
    await page.getByLabel("model").selectOption(HOSTILE);
    expect(await shown()).toEqual(["review.a1"]);
    expect(await page.locator("g.lane:visible").count()).toBe(1);
    await page.getByLabel("role").selectOption("dev");
    expect(await shown()).toEqual([]);
    await page.getByLabel("model").selectOption("");
    expect(await shown()).toEqual(["build.a2", "build.a1"]);
    expect(faults).toEqual([]);
  },
);
