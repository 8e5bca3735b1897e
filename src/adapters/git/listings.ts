import type { Result } from "../../core/result.ts";
import type { TreeEntry, TreeId } from "../../ports/workspace.ts";

type Listing = Result<readonly TreeEntry[]>;

const KEPT_TREES = 6;
/** Beyond this a listing costs more memory than the process that makes it again is worth. */
const KEPT_ENTRIES = 20_000;

/** Remembers the last listings: a tree's id names its content, and a session asks for the same few trees over and over. */
export class Listings {
  readonly #kept = new Map<TreeId, Promise<Listing>>();

  async of(tree: TreeId, list: () => Promise<Listing>): Promise<Listing> {
    const known = this.#kept.get(tree);
    if (known !== undefined) return known;
    const made = list();
    this.#kept.set(tree, made);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_TREES && oldest !== undefined) this.#kept.delete(oldest);
    const listing = await made;
    if (!listing.ok || listing.value.length > KEPT_ENTRIES) this.#kept.delete(tree);
    return listing;
  }

  /** Undefined when the tree was not listed lately. */
  known(tree: TreeId): Promise<Listing> | undefined {
    return this.#kept.get(tree);
  }
}
