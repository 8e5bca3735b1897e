import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { expect, test } from "vitest";

/**
 * The import table of the house (docs/architecture.md). `ours`: folders of src that the row may import besides its
 * own; `packages`: bare specifiers allowed, `*` for any.
 */
interface Row {
  readonly ours: readonly string[];
  readonly packages: readonly string[];
}
const PARSERS = ["valibot", "yaml", "smol-toml", "saxes", "picomatch", "croner"];
const WINGS = ["core", "formats", "graph", "ports"];
const TABLE: Readonly<Record<string, Row>> = {
  core: { ours: [], packages: ["node:crypto"] },
  formats: { ours: ["core"], packages: PARSERS },
  graph: { ours: ["core", "formats"], packages: [] },
  triggers: { ours: ["core", "formats"], packages: [] },
  learn: { ours: WINGS, packages: [] },
  plan: { ours: [...WINGS, "learn"], packages: [] },
  verify: { ours: [...WINGS, "learn"], packages: PARSERS },
  record: { ours: [...WINGS, "verify"], packages: [] },
  run: { ours: [...WINGS, "verify", "record"], packages: [] },
  logs: { ours: ["core", "formats", "ports"], packages: ["fzstd", "@pydantic/genai-prices"] },
  ports: { ours: ["core", "formats"], packages: [] },
  adapters: { ours: ["core", "formats", "ports"], packages: ["*"] },
  commands: {
    ours: [...WINGS, "triggers", "learn", "plan", "verify", "record", "run", "logs"],
    packages: ["valibot"],
  },
  cli: { ours: ["commands", "core"], packages: ["*"] },
  http: { ours: ["commands", "core"], packages: ["*"] },
  mcp: { ours: ["commands", "core"], packages: ["*"] },
  testing: {
    ours: [...WINGS, "triggers", "learn", "plan", "verify", "record", "run", "logs", "adapters", "commands"],
    packages: ["*"],
  },
};
const SRC = resolve(import.meta.dirname, "../../src");

interface Import {
  readonly file: string;
  readonly specifier: string;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const found = text.matchAll(
    /(?:^(?:import|export)\b[^;"'`]*?\bfrom\s+|\bimport\(\s*|^import\s+)"([^"]+)"/gm,
  );
  return [...found].map((match) => ({ file, specifier: match[1] ?? "" }));
}

function sources(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => join(SRC, path));
}

function room(file: string): string {
  return relative(SRC, file).split(sep)[0] ?? "";
}

/** `src/compose.ts` and its parts `src/compose-*.ts`. */
function isRoot(path: string): boolean {
  return dirname(path) === SRC && /^compose(-[a-z]+)?\.ts$/.test(basename(path));
}

/** The sentence that says which row an import breaks, or undefined. */
function breach(entry: Import): string | undefined {
  const from = room(entry.file);
  const row = TABLE[from];
  if (row === undefined) return undefined; // compose.ts, bin/ : everything
  const where = `${relative(SRC, entry.file)} imports ${entry.specifier}`;
  if (!entry.specifier.startsWith(".")) {
    const allowed = row.packages.some(
      (name) => name === "*" || entry.specifier === name || entry.specifier.startsWith(`${name}/`),
    );
    return allowed ? undefined : `${where}: ${from} may import of packages only [${row.packages.join(", ")}]`;
  }
  const target = resolve(dirname(entry.file), entry.specifier);
  const to = room(target);
  if (to === from) {
    if (from !== "adapters") return undefined;
    const mine = relative(SRC, entry.file).split(sep)[1];
    return relative(SRC, target).split(sep)[1] === mine
      ? undefined
      : `${where}: one adapter never imports another`;
  }
  return row.ours.includes(to) ? undefined : `${where}: ${from} may import only [${row.ours.join(", ")}]`;
}

test("every import follows the table of the house", () => {
  expect(
    sources()
      .flatMap(importsOf)
      .map(breach)
      .filter((line) => line !== undefined),
  ).toEqual([]);
});

test("the composition root is imported by nothing but entry points", () => {
  const offenders = sources()
    .filter((file) => room(file) !== "bin")
    .flatMap(importsOf)
    .filter(({ file, specifier }) => specifier.startsWith(".") && isRoot(resolve(dirname(file), specifier)))
    .filter(({ file }) => !isRoot(file));
  expect(offenders).toEqual([]);
});

test("a wing that reaches for an adapter would be reported with the row it broke", () => {
  const line = breach({ file: join(SRC, "run/advance.ts"), specifier: "../adapters/git/open.ts" });
  expect(line).toContain("run may import only");
});

test("decision records have numbers of their own, which their titles repeat", () => {
  const folder = resolve(SRC, "../docs/decisions");
  const names = readdirSync(folder).sort();
  const numbers = names.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  const titles = names.map((name) => readFileSync(join(folder, name), "utf8").slice(0, 6));
  expect(titles).toEqual(numbers.map((number) => `# ${number}`));
});
