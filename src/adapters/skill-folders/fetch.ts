import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import type { SkillContent, SkillSource } from "../../ports/skill-folders.ts";

const PATIENCE_MS = 120_000;
const MOST_OUTPUT = 4 * 1024 * 1024;
const URL = /^(https:\/\/|file:\/\/\/)[^\s\0]+$/;
const PACKAGE = /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*(@[\w.^~+-]+)?$/i;
const INNER = /^(?![/.-])(?!.*\.\.)[\w@./-]+$/;

/** Only these ways: no helper programs of other protocols, no hooks, no questions. */
const CAREFUL = [
  ...["protocol.allow=never", "protocol.https.allow=always", "protocol.file.allow=always"],
  ...["core.hooksPath=/dev/null", "core.symlinks=false", "advice.detachedHead=false"],
].flatMap((setting) => ["-c", setting]);

type Environment = Readonly<Record<string, string | undefined>>;
type Read = (folder: string) => Promise<Result<SkillContent | undefined>>;

/** Into a folder of its own that is gone afterwards; nothing of what was fetched is run. */
export async function fetchSkill(
  source: SkillSource,
  environment: Environment,
  read: Read,
): Promise<Result<SkillContent & { readonly revision: string }>> {
  if (source.path !== undefined && !INNER.test(source.path))
    return fail("bad-input", `${source.path} is no folder inside of the source`);
  const room = await mkdtemp(join(tmpdir(), "loopwright-skill-"));
  try {
    const got =
      source.kind === "git"
        ? await clone(source.url, room, environment)
        : await pack(source.name, room, environment);
    if (!got.ok) return got;
    const content = await read(join(got.value.folder, source.path ?? ""));
    if (!content.ok) return content;
    if (content.value === undefined)
      return fail("no-such-file", "there is no SKILL.md", { hint: "name its folder with --path" });
    return ok({ ...content.value, revision: got.value.revision });
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

interface Got {
  readonly folder: string;
  readonly revision: string;
}

async function clone(url: string, room: string, environment: Environment): Promise<Result<Got>> {
  if (!URL.test(url)) return fail("bad-input", `${url} is no https:// address`);
  const folder = join(room, "clone");
  const cloned = await ran(
    "git",
    [...CAREFUL, "clone", "-q", "--depth", "1", "--no-tags", "--", url, folder],
    room,
    environment,
  );
  if (!cloned.ok) return cloned;
  const head = await ran("git", ["-C", folder, "rev-parse", "HEAD"], room, environment);
  return head.ok ? ok({ folder, revision: head.value.trim() }) : head;
}

async function pack(name: string, room: string, environment: Environment): Promise<Result<Got>> {
  if (!PACKAGE.test(name)) return fail("bad-input", `${name} is no name of a package`);
  const words = ["pack", "--ignore-scripts", "--silent", "--pack-destination", room, "--", name];
  const packed = await ran("npm", words, room, environment);
  if (!packed.ok) return packed;
  const archive = (await readdir(room)).find((file) => file.endsWith(".tgz"));
  if (archive === undefined) return fail("no-such-file", `npm packed nothing for ${name}`);
  const unpacked = await ran(
    "tar",
    ["-xzf", join(room, archive), "-C", room, "--no-same-owner"],
    room,
    environment,
  );
  return unpacked.ok ? ok({ folder: join(room, "package"), revision: archive }) : unpacked;
}

function ran(
  program: string,
  words: readonly string[],
  cwd: string,
  { PATH, HOME, HTTPS_PROXY, https_proxy }: Environment,
): Promise<Result<string>> {
  const proxies = { ...(HTTPS_PROXY && { HTTPS_PROXY }), ...(https_proxy && { https_proxy }) };
  const env = { PATH, HOME, GIT_TERMINAL_PROMPT: "0", ...proxies };
  const options = { cwd, env, timeout: PATIENCE_MS, maxBuffer: MOST_OUTPUT, encoding: "utf8" } as const;
  return new Promise((done) => {
    execFile(program, [...words], options, (error, stdout, stderr) => {
      const last = stderr.trim().split("\n").at(-1) ?? "";
      done(error === null ? ok(stdout) : fail("no-such-file", `${program} cannot fetch it: ${last}`));
    });
  });
}
