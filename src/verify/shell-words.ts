/** A word of a command line with the place where it ends. */
export interface Word {
  readonly text: string;
  readonly end: number;
}

/**
 * The words of a command line that is one simple command for `sh`; undefined when it is more than that (pipes, lists,
 * redirections, substitutions, comments, several lines) or cannot be read. Variables and globs stay as written.
 */
export function simpleWords(line: string): readonly Word[] | undefined {
  const words: Word[] = [];
  const token =
    /\s*((?:'[^']*'|"(?:[^"\\`$]|\\.|\$[A-Za-z_{])*"|\\.|\$[A-Za-z_{]|[^\s'"\\`$;&|<>()#]|(?<=[^\s])#)+)\s*/y;
  while (token.lastIndex < line.length) {
    const start = token.lastIndex;
    const match = token.exec(line);
    if (match === null || match[1] === undefined) return undefined;
    if (/[\n\r]/.test(match[0].trimEnd())) return undefined;
    const lead = match[0].indexOf(match[1]);
    words.push({ text: unquoted(match[1]), end: start + lead + match[1].length });
    if (/[\n\r]/.test(match[0].slice(lead + match[1].length)) && token.lastIndex < line.length)
      return undefined;
  }
  return words.length === 0 || words[0]?.text === "!" ? undefined : words;
}

function unquoted(raw: string): string {
  return raw.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_whole, single, double, escaped) =>
    single !== undefined ? single : double !== undefined ? double.replace(/\\(["\\$`])/g, "$1") : escaped,
  );
}

/** A word quoted for `sh`. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
