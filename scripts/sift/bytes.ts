export function lowBytes(count: i32): u64 {
  return ((<u64>1) << ((<u64>count) << 3)) - 1;
}

export function areEqual(a: i32, b: i32, length: i32): bool {
  if (length >= 16) {
    const last = length - 16;
    for (let i = 0; i < last; i += 16) if (differs(a + i, b + i)) return false;
    return !differs(a + last, b + last);
  }
  if (length >= 8) {
    const last = length - 8;
    return load<u64>(a) === load<u64>(b) && load<u64>(a + last) === load<u64>(b + last);
  }
  return ((load<u64>(a) ^ load<u64>(b)) & lowBytes(length)) === 0;
}

function differs(a: i32, b: i32): bool {
  return v128.any_true(v128.xor(v128.load(a), v128.load(b)));
}

function skipSomeBlanks(from: i32): i32 {
  let p = from;
  let c = load<u8>(p);
  while (c === 0x20 || c === 0x09 || c === 0x0d) c = load<u8>(++p);
  return p;
}

export function skipBlanks(from: i32): i32 {
  return load<u8>(from) > 0x20 ? from : skipSomeBlanks(from);
}

/** May write up to 15 bytes more. */
export function copy(to: i32, from: i32, length: i32): void {
  for (let i = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}
