import * as v from "valibot";
import { canonicalJson } from "../../core/canonical-json.ts";
import { type LockChange, type LockPair, NO_LOCK_CHANGE, needsLook } from "./lock-change.ts";

const names = v.optional(v.record(v.string(), v.string()), {});
const packageSchema = v.object({
  name: v.optional(v.string()),
  version: v.optional(v.string()),
  resolved: v.optional(v.string()),
  integrity: v.optional(v.string()),
  link: v.optional(v.boolean(), false),
  inBundle: v.optional(v.boolean(), false),
  hasInstallScript: v.optional(v.boolean(), false),
  bin: v.optional(v.union([v.string(), v.record(v.string(), v.string())])),
  dependencies: names,
  devDependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
});
const lockSchema = v.object({
  lockfileVersion: v.picklist([2, 3]),
  packages: v.record(v.string(), packageSchema),
});
type LockedPackage = v.InferOutput<typeof packageSchema>;
/** Packages by where they stand, e.g. `node_modules/a/node_modules/b`; `""` is the project itself. */
export type NpmPackages = ReadonlyMap<string, LockedPackage>;

const EMPTY: NpmPackages = new Map();

/** Reads package-lock.json of version 2 or 3; undefined for anything else. */
export function parseNpmLock(text: string): NpmPackages | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), lockSchema), text);
  return parsed.success ? new Map(Object.entries(parsed.output.packages)) : undefined;
}

/** Folders of the project itself and of its workspaces, which have lifecycle scripts of their own. */
export function npmProjects(packages: NpmPackages): readonly string[] {
  return [...packages.keys()].filter((key) => !isInstalled(key)).sort();
}

/** `name@version` of the packages with an install script that both locks name identically. */
export function npmRebuilds(base: NpmPackages, judged: NpmPackages): readonly string[] {
  const specs = new Set<string>();
  for (const [key, entry] of base) {
    const now = judged.get(key);
    if (!isInstalled(key) || !entry.hasInstallScript || now === undefined || entry.version === undefined)
      continue;
    if (sameSource(entry, now)) specs.add(`${nameOf(key, entry)}@${entry.version}`);
  }
  return [...specs].sort();
}

/** Compares two npm locks by the rules of the gate: what stays must resolve as it did, what is new must be plain. */
export function compareNpmLocks(pair: LockPair): LockChange {
  if (pair.base === pair.judged) return NO_LOCK_CHANGE;
  if (pair.judged === undefined) return needsLook(`${pair.path} was removed`);
  const base = pair.base === undefined ? EMPTY : parseNpmLock(pair.base);
  const judged = parseNpmLock(pair.judged);
  if (base === undefined) return needsLook(`${pair.path} is not of lockfile version 2 or 3 in the base tree`);
  if (judged === undefined) return needsLook(`${pair.path} cannot be read as lockfile version 2 or 3`);
  const reasons = new Set([...changedEntries(base, judged), ...changedResolution(base, judged)]);
  const fresh = [...judged].filter(([key]) => isInstalled(key) && !base.has(key));
  const known: Known = { bins: binNames(base), hosts: registryHosts(base), isTool: pair.isTool };
  for (const [key, entry] of fresh) {
    for (const reason of oddities(key, entry, known)) reasons.add(reason);
  }
  const added = new Set(fresh.map(([key, entry]) => `${nameOf(key, entry)}@${entry.version ?? "?"}`));
  return { added: [...added].sort(), reasons: [...reasons] };
}

function changedEntries(base: NpmPackages, judged: NpmPackages): readonly string[] {
  const stillThere = new Set([...judged.keys()].filter(isInstalled).map((key) => folderName(key)));
  const reasons: string[] = [];
  for (const [key, entry] of base) {
    if (!isInstalled(key)) continue;
    const now = judged.get(key);
    if (now === undefined) {
      if (stillThere.has(folderName(key)))
        reasons.push(`${key} is gone, so ${folderName(key)} resolves elsewhere`);
    } else if (!sameSource(entry, now)) {
      reasons.push(
        `${key} changes from ${entry.version ?? "a link"} to ${now.version ?? "a link"} or to another source`,
      );
    } else if (now.hasInstallScript && !entry.hasInstallScript) {
      reasons.push(`${key} gains an install script`);
    }
  }
  return reasons;
}

/** A package that stays must find the same package behind each name that it requires. */
function changedResolution(base: NpmPackages, judged: NpmPackages): readonly string[] {
  const reasons: string[] = [];
  for (const [key, entry] of base) {
    if (!judged.has(key) && key !== "") continue;
    for (const name of requiredBy(entry)) {
      const before = resolve(base, key, name);
      const after = resolve(judged, key, name);
      if (before === after || after === undefined) continue;
      const who = key === "" ? "the project" : key;
      if (before !== undefined) reasons.push(`${name} resolves elsewhere for ${who}`);
      else if (isInstalled(key)) reasons.push(`${who} now finds ${name}, which was not installed`);
    }
  }
  return reasons;
}

function requiredBy(entry: LockedPackage): readonly string[] {
  const groups = [
    entry.dependencies,
    entry.devDependencies,
    entry.optionalDependencies,
    entry.peerDependencies,
  ];
  return [...new Set(groups.flatMap((group) => Object.keys(group)))];
}

/** The place where Node finds `name` when a file in `from` asks for it. */
function resolve(packages: NpmPackages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = parentFolder(folder)) {
    const key = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages.has(key)) return key;
    if (folder === "") return undefined;
  }
}

function parentFolder(folder: string): string {
  const cut = folder.lastIndexOf("/");
  return cut < 0 ? "" : folder.slice(0, cut).replace(/\/node_modules$|^node_modules$/, "");
}

interface Known {
  readonly bins: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  readonly isTool: (name: string) => boolean;
}

function oddities(key: string, entry: LockedPackage, known: Known): readonly string[] {
  const name = nameOf(key, entry);
  const reasons: string[] = [];
  if (entry.hasInstallScript) reasons.push(`${name} runs a script when it is installed`);
  if (!isPlainSource(entry, known.hosts))
    reasons.push(`${name} comes from ${entry.resolved ?? "an unknown source"}, not from a registry`);
  if (entry.name !== undefined && entry.name !== folderName(key)) {
    reasons.push(`${folderName(key)} is an alias of ${entry.name}`);
  }
  for (const bin of binsOf(key, entry)) {
    if (known.bins.has(bin)) reasons.push(`${name} brings a command ${bin}, which another package has`);
    else if (known.isTool(bin))
      reasons.push(`${name} brings a command ${bin}, which hides the one on the PATH`);
  }
  return reasons;
}

/** A registry tarball with a hash, or a package that travels inside one. npm's settings may leave the address out. */
function isPlainSource(entry: LockedPackage, hosts: ReadonlySet<string>): boolean {
  if (entry.inBundle) return true;
  if (entry.link || entry.integrity === undefined || entry.version === undefined) return false;
  if (entry.resolved === undefined) return true;
  const address = /^https:\/\/([^/?#]+)\/[^?#]*\/-\/[^/?#]+\.tgz$/.exec(entry.resolved);
  return address?.[1] !== undefined && hosts.has(address[1]);
}

/** Hosts that the base lock already installs from, and the public registry. */
function registryHosts(base: NpmPackages): ReadonlySet<string> {
  const hosts = new Set(["registry.npmjs.org"]);
  for (const entry of base.values()) {
    const host = /^https:\/\/([^/?#]+)\/.*\/-\//.exec(entry.resolved ?? "")?.[1];
    if (host !== undefined) hosts.add(host);
  }
  return hosts;
}

function binNames(packages: NpmPackages): ReadonlySet<string> {
  const bins = [...packages]
    .filter(([key]) => isInstalled(key))
    .flatMap(([key, entry]) => binsOf(key, entry));
  return new Set(bins);
}

function binsOf(key: string, entry: LockedPackage): readonly string[] {
  if (entry.bin === undefined) return [];
  if (typeof entry.bin === "string") return [nameOf(key, entry).split("/").pop() ?? ""];
  return Object.keys(entry.bin);
}

function sameSource(a: LockedPackage, b: LockedPackage): boolean {
  const facts = (entry: LockedPackage): string =>
    canonicalJson({
      version: entry.version,
      resolved: entry.resolved,
      integrity: entry.integrity,
      link: entry.link,
      name: entry.name,
      bin: entry.bin,
    });
  return facts(a) === facts(b);
}

function isInstalled(key: string): boolean {
  return /(^|\/)node_modules\//.test(key);
}

/** The name by which a place is required: what follows the last `node_modules/`. */
function folderName(key: string): string {
  return key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);
}

function nameOf(key: string, entry: LockedPackage): string {
  return entry.name ?? folderName(key);
}
