import { fail, ok, type Result } from "../../core/result.ts";

/** A command line as typed: plain words, or something that only a shell can run. */
export type CommandLine =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "shell"; readonly line: string };

/** Outside of quotes these mean something to a shell that we do not do. */
const OPERATORS = /[|&;<>()`$*?[\]\n]/;

/**
 * Splits a command line by the quoting rules of a POSIX shell: spaces separate, `'…'` is literal, `"…"` knows the
 * escapes of `" \ $` and backquote, a backslash outside quotes takes the next character literally. Nothing is expanded: a
 * line with operators, globs, `~`, `$` or assignments in front is a `shell` line. Problem: `bad-input`.
 */
export function parseCommandLine(line: string): Result<CommandLine> {
  const words: string[] = [];
  let word: string | undefined;
  let needsShell = /^\s*[A-Za-z_]\w*=/.test(line);
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === "'" || char === '"') {
      const quoted = readQuoted(line, at);
      if (quoted === undefined)
        return fail("bad-input", `the quote ${char} opened at ${at + 1} is not closed`);
      needsShell ||= quoted.expands;
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (char === "\\") {
      if (at + 1 === line.length) return fail("bad-input", "the command line ends with a backslash");
      at += 1;
      word = (word ?? "") + line.charAt(at);
    } else if (/[ \t]/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      needsShell ||= OPERATORS.test(char) || (char === "~" && word === undefined);
      word = (word ?? "") + char;
    }
  }
  if (word !== undefined) words.push(word);
  if (words.length === 0) return fail("bad-input", "the command line is empty");
  return ok(needsShell ? { kind: "shell", line: line.trim() } : { kind: "words", words });
}

interface Quoted {
  readonly text: string;
  /** Position of the closing quote. */
  readonly end: number;
  /** Double quotes around `$` or a backquote: a shell would put something else there. */
  readonly expands: boolean;
}

function readQuoted(line: string, start: number): Quoted | undefined {
  const quote = line.charAt(start);
  let text = "";
  let expands = false;
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === quote) return { text, end: at, expands };
    const next = line.charAt(at + 1);
    if (quote === '"' && char === "\\" && /["\\$`]/.test(next)) {
      text += next;
      at += 1;
    } else {
      expands ||= quote === '"' && /[$`]/.test(char);
      text += char;
    }
  }
  return undefined;
}
