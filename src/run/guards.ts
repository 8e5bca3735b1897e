import { quoted } from "../verify/shell-words.ts";

/** Stands before a program on an attempt's PATH. */
export interface Guard {
  readonly name: string;
  readonly script: string;
}

/** Where guards lie, and where they write down what they refused. */
export interface GuardPlaces {
  readonly bin: string;
  readonly refused: string;
}

/**
 * Programs in place of those whose use is forbidden: they refuse a command that holds the forbidden words in their order
 * and the forbidden letters in any of its options, and run the real program for every other. It is a fence and no wall:
 * whoever names the program by its path, or takes another, gets past.
 */
export function guardsFor(commands: readonly string[], places: GuardPlaces): readonly Guard[] {
  const rules = new Map<string, string[]>();
  for (const command of commands) {
    const [name = "", ...words] = command.trim().split(/\s+/);
    if (!/^[\w.+-]+$/.test(name)) continue;
    rules.set(name, [...(rules.get(name) ?? []), rule(command.trim(), words)]);
  }
  return [...rules].map(([name, lines]) => ({ name, script: scriptOf(name, lines, places) }));
}

function scriptOf(name: string, rules: readonly string[], { bin, refused }: GuardPlaces): string {
  return `#!/bin/sh
# Refuses what the loop forbids to run, and runs the real program otherwise.
set -f
letters=
for word in "$@"; do
  case $word in --*) ;; -?|-??|-???|-????|-?????) letters=$letters\${word#-} ;; esac
done
has() { case $letters in *"$1"*) return 0 ;; esac; return 1; }
refuse() {
  echo "$1" >> ${quoted(refused)}
  echo "refused, the loop forbids it: $1" >&2
  exit 126
}
${rules.join("\n")}
IFS=:
for folder in $PATH; do
  [ "$folder" = ${quoted(bin)} ] || [ ! -f "$folder/${name}" ] || [ ! -x "$folder/${name}" ] || exec "$folder/${name}" "$@"
done
echo "${name}: not found" >&2
exit 127
`;
}

function rule(command: string, words: readonly string[]): string {
  const plain = words.filter((word) => !isLetters(word));
  const letters = words.filter(isLetters).flatMap((word) => [...word.slice(1)]);
  const steps = plain.map((word, at) => `${quoted(`${at}:${word}`)}) at=${at + 1} ;;`);
  const conditions = [`[ "$at" = ${plain.length} ]`, ...letters.map((letter) => `has ${letter}`)];
  return [
    "at=0",
    ...(steps.length === 0 ? [] : [`for word in "$@"; do case "$at:$word" in ${steps.join(" ")} esac; done`]),
    `${conditions.join(" && ")} && refuse ${quoted(command)}`,
  ].join("\n");
}

/** Options of one letter each, which may be written apart, together and in any order. */
function isLetters(word: string): boolean {
  return /^-[A-Za-z]{1,3}$/.test(word);
}
