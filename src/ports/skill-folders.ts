import type { Digest } from "../core/hash.ts";
import type { Result } from "../core/result.ts";

/** A skill as it lies somewhere: a folder with a `SKILL.md`. */
export interface SkillContent {
  /** Relative, with `/`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Of all files by name and content. */
  readonly digest: Digest;
}

/** Where a skill may be fetched from; `path` is the skill's folder inside of it. */
export type SkillSource =
  | { readonly kind: "git"; readonly url: string; readonly path?: string }
  | { readonly kind: "npm"; readonly name: string; readonly path?: string };

/** Folders of skills. None of their files is ever run. The adapter over the file system is the example to read. */
export interface SkillFolders {
  /** Undefined without a `SKILL.md`. `bad-input` for links, which may lead anywhere, and for what is too large. */
  read(folder: string): Promise<Result<SkillContent | undefined>>;
  /** Whole or not at all. `bad-input` when the folder is there already. */
  write(folder: string, content: SkillContent): Promise<Result<void>>;
  /** A folder that is not there is removed. */
  remove(folder: string): Promise<Result<void>>;
  /** Over the network, with the user's own git or npm and without scripts. `revision`: what exactly was fetched. */
  fetch(source: SkillSource): Promise<Result<SkillContent & { readonly revision: string }>>;
}
