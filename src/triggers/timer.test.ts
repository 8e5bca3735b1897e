import { expect, test } from "vitest";
import { editCrontab, TIMER_KINDS, type TimerJob, timerPlan } from "./timer.ts";

const JOB: TimerJob = {
  slug: "tidy-1a2b",
  about: 'loop "tidy"',
  argv: ["/opt/node 20/bin/node", "/lib/cli.cjs", "loop", "watch", "it's 100% $HOME/<a&b>.yaml", "--once"],
  searchPath: "/opt/bin:/usr/bin",
};
const HOST = { homeDir: "/home/u", configDir: "/home/u/.config", uid: 501 };

test.each(TIMER_KINDS)("a job of %s names every word so that its reader takes it for one", (kind) => {
  expect(timerPlan(kind, JOB, HOST)).toMatchSnapshot();
});

test("a line break in a name begins no line of its own", () => {
  const job = { ...JOB, about: "a\n[Service]\nExecStart=/bin/evil", argv: ["/x\n* * * * * evil"] };
  for (const kind of TIMER_KINDS) {
    const { files, crontab = "" } = timerPlan(kind, job, HOST);
    for (const text of [...files.map((file) => file.text), crontab])
      expect(text).not.toMatch(/^(ExecStart=\/bin\/evil|\* \* \* \* \* evil)/m);
  }
});

test("a crontab keeps every line of somebody else's, and one line of this job", () => {
  const theirs = "MAILTO=me\n0 5 * * * backup\n";
  const line = timerPlan("cron", JOB, HOST).crontab;
  const with1 = editCrontab(theirs, JOB.slug, line);
  expect(with1).toBe(`${theirs}${line}\n`);
  expect(editCrontab(with1, JOB.slug, line)).toBe(with1);
  expect(editCrontab(with1, JOB.slug, undefined)).toBe(theirs);
  expect(editCrontab("", JOB.slug, undefined)).toBe("");
});
