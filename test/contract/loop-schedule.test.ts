import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type CliLab, openCliLab } from "../cli-lab.ts";
import { loopText } from "./watched-loop.ts";

/** A system whose timers are scripts that note what they are told. */
function aLab(...programs: readonly string[]): CliLab {
  const lab = openCliLab();
  execFileSync("git", ["init", "-q"], { cwd: lab.dir });
  lab.write("loop.yaml", loopText("{on: {type: cron, expr: '5 12 * * *'}}"));
  mkdirSync(lab.path("bin"));
  for (const name of programs) {
    const tab = lab.path("tab");
    const script =
      name === "crontab"
        ? `#!/bin/sh\nif [ "$1" = -l ]; then cat '${tab}' 2>/dev/null; else cat > '${tab}'; fi\n`
        : `#!/bin/sh\necho "$@" >> '${lab.path("calls")}'\n`;
    chmodSync(lab.write(`bin/${name}`, script), 0o755);
  }
  lab.env = { PATH: `${lab.path("bin")}:/usr/bin:/bin`, XDG_CONFIG_HOME: lab.path("config") };
  return lab;
}

const withSystemd = ["--with", "systemd"] as const;

test("what would be put into the system's timer is printed, and nothing is touched", async () => {
  const lab = aLab("systemctl", "crontab");
  const { exit, json } = await lab.run("loop", "schedule", ...withSystemd);
  expect([exit, json["did"], json["with"]]).toEqual([0, null, "systemd"]);
  const [service] = json["files"] as readonly { readonly text: string }[];
  for (const word of ["loop.yaml", "--once", lab.dir, lab.home]) expect(service?.text).toContain(word);
  expect(existsSync(lab.path("config"))).toBe(false);
  expect(existsSync(lab.path("calls"))).toBe(false);
});

test("a timer of systemd is installed and taken out again", async () => {
  const lab = aLab("systemctl");
  const { json } = await lab.run("loop", "schedule", "--install", ...withSystemd);
  const files = json["files"] as readonly { readonly path: string; readonly text: string }[];
  for (const { path, text } of files) expect(readFileSync(path, "utf8")).toBe(text);
  expect(readFileSync(lab.path("calls"), "utf8")).toMatch(
    /daemon-reload\n--user enable --now loopwright-stamp-\w+\.timer\n$/,
  );
  expect((await lab.run("loop", "schedule", "--remove", ...withSystemd)).exit).toBe(0);
  for (const { path } of files) expect(existsSync(path)).toBe(false);
});

test("a line of a crontab is installed once however often, and taken out without touching others", async () => {
  const lab = aLab("crontab");
  lab.write("tab", "0 5 * * * backup\n");
  for (let n = 0; n < 2; n += 1) await lab.run("loop", "schedule", "--install", "--with", "cron");
  const lines = readFileSync(lab.path("tab"), "utf8").trimEnd().split("\n");
  expect(lines).toEqual(["0 5 * * * backup", expect.stringMatching(/^\* \* \* \* \* PATH=.*'--once'/)]);
  await lab.run("loop", "schedule", "--remove", "--with", "cron");
  expect(readFileSync(lab.path("tab"), "utf8")).toBe("0 5 * * * backup\n");
});

test("an attempt cannot change the timers of the system", async () => {
  const lab = aLab("systemctl");
  lab.env = { ...lab.env, LOOPWRIGHT_ATTEMPT: "att_01ARZ3NDEKTSV4RRFFQ69G5FAV" };
  expect((await lab.run("loop", "schedule", "--install")).json).toMatchObject({
    problem: { code: "person-only" },
  });
});
