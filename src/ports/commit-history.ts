/** What a repository's history says. Read-only; a folder without git, or a commit it does not know, has nothing to say. */
export interface CommitHistory {
  parents(folder: string, commit: string): Promise<readonly string[]>;
  head(folder: string): Promise<string | undefined>;
  /** `owner/name` of the remote `origin` in lower case, else the name of the top-level folder, else of the folder. */
  repoName(folder: string): Promise<string>;
  /** Commits reachable from HEAD and not from `base`, committed between two moments, oldest first. */
  commits(
    folder: string,
    range: { readonly base?: string; readonly from?: string; readonly to?: string },
  ): Promise<readonly { readonly sha: string; readonly at: string }[]>;
}
