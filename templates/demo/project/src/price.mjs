/** Reads a price list (`name,price`, one item a line) into items with whole cents. */
export function parsePriceList(text) {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name, price] = line.split(",");
      return { name: name.trim(), cents: toCents(price.trim()) };
    });
}

export function total(items) {
  return items.reduce((sum, item) => sum + item.cents, 0);
}

/** `12.5` is 1250 cents. */
export function toCents(text) {
  return Math.round(Number(text)) * 100;
}

/** Fields of a line; a comma inside double quotes belongs to the field. */
export function splitFields(line) {
  const fields = [];
  let field = "";
  let quoted = false;
  for (const char of line) {
    if (char === '"') quoted = !quoted;
    else if (char === "," && !quoted) {
      fields.push(field);
      field = "";
    } else field += char;
  }
  return [...fields, field];
}
