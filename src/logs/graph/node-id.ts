/** A session, or a sub-agent inside one. */
export function nodeId(session: string, subagent: string | undefined): string {
  return subagent === undefined ? session : `${session}/${subagent}`;
}
