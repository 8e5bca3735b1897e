/** One simple command of a shell text: its words, and the files that its redirections name. */
export interface ShellCommand {
  readonly words: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Ended by `&`. */
  readonly isBackground: boolean;
}

/**
 * The simple commands of a shell text in their order, those of substitutions included; bodies of here-documents and
 * comments are no commands. Words keep `$` where the shell would put something in: such a word is not known.
 */
export function shellCommands(text: string): ShellCommand[] {
  return new ShellScanner(text).run();
}

type Role = "word" | "read" | "write" | "here" | "skip";

class ShellScanner {
  readonly #text: string;
  readonly #commands: ShellCommand[] = [];
  readonly #nested: ShellCommand[] = [];
  readonly #delimiters: string[] = [];
  #at = 0;
  #word: string | undefined;
  #role: Role = "word";
  #words: string[] = [];
  #reads: string[] = [];
  #writes: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): ShellCommand[] {
    while (this.#at < this.#text.length) this.#step();
    this.#endCommand(false);
    return [...this.#commands, ...this.#nested];
  }

  #step(): void {
    const char = this.#text[this.#at] ?? "";
    switch (char) {
      case "\\":
        this.#append(this.#text[this.#at + 1] === "\n" ? "" : (this.#text[this.#at + 1] ?? ""), 2);
        return;
      case "'":
        this.#singleQuoted();
        return;
      case '"':
        this.#doubleQuoted();
        return;
      case "`":
        this.#substitution(this.#at + 1, this.#text.indexOf("`", this.#at + 1));
        return;
      case "$":
        if (this.#text[this.#at + 1] === "(") this.#substitution(this.#at + 2, this.#closing(this.#at + 2));
        else this.#append("$", 1);
        return;
      case "#":
        if (this.#word === undefined) this.#at = this.#endOfLine();
        else this.#append("#", 1);
        return;
      case " ":
      case "\t":
        this.#endWord();
        this.#at += 1;
        return;
      case "\n":
        this.#endCommand(false);
        this.#at += 1;
        for (const delimiter of this.#delimiters.splice(0)) this.#skipHereDocument(delimiter);
        return;
      case ";":
      case "|":
      case "(":
      case ")":
        this.#endCommand(false);
        this.#at += 1;
        return;
      case "&":
        this.#ampersand();
        return;
      case "<":
      case ">":
        this.#redirection(char);
        return;
      default:
        this.#append(char, 1);
    }
  }

  #append(chars: string, length: number): void {
    this.#word = (this.#word ?? "") + chars;
    this.#at += length;
  }

  #singleQuoted(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    const to = end === -1 ? this.#text.length : end;
    this.#append(this.#text.slice(this.#at + 1, to), to + 1 - this.#at);
  }

  #doubleQuoted(): void {
    this.#append("", 1);
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? "";
      if (char === '"') {
        this.#at += 1;
        return;
      }
      if (char === "\\") this.#append(this.#text[this.#at + 1] ?? "", 2);
      else if (char === "$" && this.#text[this.#at + 1] === "(") {
        this.#substitution(this.#at + 2, this.#closing(this.#at + 2));
      } else this.#append(char, 1);
    }
  }

  #substitution(from: number, end: number): void {
    const to = end === -1 ? this.#text.length : end;
    this.#nested.push(...shellCommands(this.#text.slice(from, to)));
    this.#append("$", to + 1 - this.#at);
  }

  /** Where the parenthesis that is open at `from` closes. */
  #closing(from: number): number {
    let depth = 1;
    for (let i = from; i < this.#text.length; i += 1) {
      if (this.#text[i] === "(") depth += 1;
      if (this.#text[i] === ")") depth -= 1;
      if (depth === 0) return i;
    }
    return -1;
  }

  #ampersand(): void {
    const next = this.#text[this.#at + 1];
    if (next === ">") {
      this.#at += 1;
      this.#redirection(">");
      return;
    }
    this.#endCommand(next !== "&");
    this.#at += next === "&" ? 2 : 1;
  }

  #redirection(char: "<" | ">"): void {
    // A number in front names a stream.
    if (/^\d+$/.test(this.#word ?? "")) this.#word = undefined;
    this.#endWord();
    const operator =
      /^(<<<|<<-?|<[(&]?|>>|>[|(&]?)/.exec(this.#text.slice(this.#at, this.#at + 3))?.[0] ?? char;
    this.#at += operator.length;
    if (operator === "<" || operator === "<(") this.#role = operator === "<" ? "read" : "word";
    else if (operator === "<<" || operator === "<<-") this.#role = "here";
    else if (operator === ">" || operator === ">>" || operator === ">|") this.#role = "write";
    else if (operator === ">(") this.#role = "word";
    else this.#role = "skip";
  }

  #endWord(): void {
    const word = this.#word;
    if (word === undefined) return;
    this.#word = undefined;
    const role = this.#role;
    this.#role = "word";
    if (role === "word") this.#words.push(word);
    if (role === "read") this.#reads.push(word);
    if (role === "write") this.#writes.push(word);
    if (role === "here") this.#delimiters.push(word);
  }

  #endCommand(isBackground: boolean): void {
    this.#endWord();
    if (this.#words.length > 0 || this.#writes.length > 0 || this.#reads.length > 0) {
      const [words, reads, writes] = [this.#words, this.#reads, this.#writes];
      this.#commands.push({ words, reads, writes, isBackground });
    }
    this.#words = [];
    this.#reads = [];
    this.#writes = [];
  }

  #skipHereDocument(delimiter: string): void {
    while (this.#at < this.#text.length) {
      const end = this.#endOfLine();
      const line = this.#text.slice(this.#at, end).trim();
      this.#at = end + 1;
      if (line === delimiter) return;
    }
  }

  #endOfLine(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return end === -1 ? this.#text.length : end;
  }
}
