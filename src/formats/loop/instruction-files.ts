const FILE = /(?<![\w/.-])(?:\.\/)?(?:[\w-][\w.-]*\/)*[\w-][\w.-]*(?:\/|\.[A-Za-z]\w*)(?![\w/])/g;
const WRITES =
  /\b(writ|creat|edit|updat|fix|chang|improv|generat|extend|adapt|record|sav|simplif|refactor)\w*\b[^.;]{0,80}$/i;

/** Files and folders that an instruction tells an agent to write: a verb of writing stands shortly before them. */
export function filesWritten(instruction: string): readonly string[] {
  const found = [...instruction.matchAll(FILE)]
    .filter((match) => WRITES.test(instruction.slice(0, match.index)))
    .map(([file]) => file.replace(/^\.\//, ""));
  return [...new Set(found)];
}
