import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createNotifier, desktopCommand, type NotifySettings } from "./index.ts";

const NOTICE = { kind: "alert", session: "ses_1", title: "tidy", text: 'cost is "high" $(id)' } as const;

function notifier(settings: Partial<NotifySettings>) {
  const said: string[] = [];
  const face = { platform: process.platform, env: process.env, talk: (line: string) => said.push(line) };
  return { said, tell: createNotifier(face, { desktop: false, ...settings }).tell };
}

/** A webhook on the loopback that answers with this status. */
async function webhook(status: number): Promise<{ readonly url: string; readonly bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`, bodies };
}

test("a webhook and a command get the notice as JSON, and no shell sees its text", async () => {
  const { url, bodies } = await webhook(204);
  const file = join(tmpdir(), `loopwright-notice-${process.pid}`);
  const { said, tell } = notifier({ webhook: url, command: ["tee", file] });
  await tell(NOTICE);
  for (const body of [bodies[0], readFileSync(file, "utf8")])
    expect(JSON.parse(body ?? "")).toEqual({ schema: "loopwright.notice/1", ...NOTICE });
  expect(said).toEqual([`\u0007${NOTICE.text}`]);
});

test("a way that fails is said without its address, and stops nobody", async () => {
  const { url, bodies } = await webhook(302);
  const { said, tell } = notifier({ webhook: url, command: ["/no/such/program"] });
  await tell({ ...NOTICE, kind: "ended" });
  expect(bodies).toHaveLength(1);
  expect(said).toEqual(["no notice: the webhook cannot be reached", "no notice: /no/such/program failed"]);
});

test.each(["linux", "darwin", "win32"] as const)(
  "on %s the text is an argument or a variable",
  (platform) => {
    const words = desktopCommand(platform, "tidy", NOTICE.text);
    const inScript = words.filter((word) => word !== NOTICE.text && word.includes(NOTICE.text));
    expect(inScript).toEqual([]);
    expect(words[0]).toBe({ linux: "notify-send", darwin: "osascript", win32: "powershell" }[platform]);
  },
);
