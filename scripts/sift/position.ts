/** Where the reading stopped. */
export let at: i32 = 0;

export function stop(result: i32, p: i32): i32 {
  at = p;
  return result;
}

/** Notes where the reading stopped. Negative, for what stands there is nothing valid. */
export function brokenAt(p: i32): i32 {
  at = p;
  return -1;
}
