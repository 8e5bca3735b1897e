/** A parsed manifest: a table of tables. */
export type Table = { readonly [key: string]: unknown };

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

export type KeyPath = readonly string[];

/** `found` with the value at each path taken from `base`; absent there: absent in the result. Key order is kept. */
export function withKeysOf(base: Table, found: Table, paths: readonly KeyPath[]): Table {
  return paths.reduce((table, path) => withKey(base, table, path), found);
}

function withKey(base: Table, found: Table, path: KeyPath): Table {
  const [key, ...rest] = path;
  if (key === undefined) return found;
  const baseValue = own(base, key);
  if (rest.length === 0)
    return baseValue === undefined ? without(found, key) : { ...found, [key]: baseValue };
  const foundValue = own(found, key);
  const inner = withKey(isTable(baseValue) ? baseValue : {}, isTable(foundValue) ? foundValue : {}, rest);
  if (Object.keys(inner).length === 0 && foundValue === undefined) return found;
  return { ...found, [key]: inner };
}

export function own(table: Table, key: string): unknown {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function without(table: Table, key: string): Table {
  return Object.fromEntries(Object.entries(table).filter(([name]) => name !== key));
}

/** Deep equality of parsed values. Key order does not matter. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (!isTable(a) || !isTable(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  );
}
