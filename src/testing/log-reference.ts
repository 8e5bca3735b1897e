import { parseFields } from "../logs/fields.ts";
import { LineScanner } from "../logs/lines.ts";
import type { RecordVisitor } from "../logs/sift/index.ts";

/** Tells a visitor of a log by parsing every line whole: what the fast reading is measured by. */
export function readLines(bytes: Uint8Array, idle: ReadonlySet<string>, visitor: RecordVisitor): void {
  const isIdle = (type: unknown): boolean => typeof type === "string" && idle.has(type);
  const scanner = new LineScanner([], {
    line: (line) => {
      const record = parseFields(line.text());
      if (record === "broken") visitor.damage(line.number, "broken JSON");
      else if (record !== undefined && !isIdle(record["type"])) visitor.record(record, line.number);
    },
    damage: (number, reason) => visitor.damage(number, reason),
  });
  scanner.push(bytes);
  scanner.finish();
}
