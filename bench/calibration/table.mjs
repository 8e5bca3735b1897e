/** The sums of all users of a row, added up. */
export function total(users) {
  const sums = {};
  for (const user of users) {
    for (const [key, value] of Object.entries(user)) sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
}

export function percent(share, known) {
  return withKnown(Number.isNaN(share) ? "-" : (100 * share).toFixed(1), known);
}

export function fixed(value, digits, known) {
  return withKnown(value.toFixed(digits), known === undefined ? undefined : known.toFixed(digits));
}

/** A number, and the design's own beside it. */
function withKnown(text, known) {
  return known === undefined || known === "-" ? text : `${text} (${known})`;
}

/** Prints rows under a head, each column as wide as it needs. */
export function print(head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i].length)));
  for (const row of all) console.log(row.map((text, i) => text.padStart(widths[i])).join("  "));
}
