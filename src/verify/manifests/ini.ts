import type { Split } from "./index.ts";

interface Section {
  readonly name: string;
  readonly lines: readonly string[];
}

/** `DEFAULT` is inherited by every section that a configparser reads. */
const RUNNER_SECTION =
  /^(DEFAULT|tool:pytest|pytest|aliases|test|nosetests|unittest|tox.*|testenv.*|coverage:.*|flake8.*|mypy.*|pylint.*|isort|pycodestyle|pydocstyle|build_ext|develop|options\.cmdclass)$/;
const ENTRY_POINTS = "options.entry_points";

/** setup.cfg: whole sections from one side or the other, lines as written. */
export function splitIni(path: string, base: string | undefined, found: string | undefined): Split {
  const old = sections(base ?? "");
  if (typeof old === "string") return { ok: false, why: `${path} of the base tree cannot be parsed: ${old}` };
  const now = sections(found ?? "");
  if (typeof now === "string") return { ok: false, why: `${path} cannot be parsed: ${now}` };
  // pytest11 entry points are plugins that pytest loads by itself.
  const hooks = [...old, ...now].some(
    (section) => section.name === ENTRY_POINTS && mentions(section, "pytest11"),
  );
  const fromBase = ({ name }: Section) => RUNNER_SECTION.test(name) || (hooks && name === ENTRY_POINTS);
  const merged = [...now.filter((section) => !fromBase(section)), ...old.filter(fromBase)];
  if (found !== undefined && sameSections(merged, now)) return { ok: true, text: found, changed: false };
  return { ok: true, text: merged.map(written).join(""), changed: true };
}

function sections(text: string): readonly Section[] | string {
  const found: { name: string; lines: string[] }[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.startsWith("[")) {
      const name = /^\[([^\]]+)\]\s*([#;].*)?$/.exec(line)?.[1];
      if (name === undefined) return `line ${index + 1}: expected [section]`;
      if (found.some((section) => section.name === name))
        return `line ${index + 1}: section [${name}] appears twice`;
      found.push({ name, lines: [] });
    } else {
      const current = found.at(-1);
      if (current !== undefined) current.lines.push(line);
      else if (!/^\s*([#;].*)?$/.test(line)) return `line ${index + 1}: expected a section first`;
    }
  }
  return found;
}

function mentions(section: Section, word: string): boolean {
  return section.lines.some((line) => line.includes(word));
}

function content(section: Section): string {
  return section.lines.filter((line) => line.trim() !== "").join("\n");
}

function sameSections(a: readonly Section[], b: readonly Section[]): boolean {
  const texts = new Map(b.map((section) => [section.name, content(section)]));
  return a.length === b.length && a.every((section) => texts.get(section.name) === content(section));
}

function written(section: Section): string {
  return `[${section.name}]\n${content(section)}\n\n`;
}
