/**
 * AssemblyScript, built by `node scripts/build-matrix.mjs` into src/learn/kernels/wasm.ts. Dense kernels on two numbers
 * at a time. Each entry is summed in the order of k, from 0, as plain loops would: the answers are theirs to the bit.
 *
 * A matrix of `height` rows lies in panels of four columns, row by row within each: entry (k, j) is number
 * `(j / 4 * height + k) * 4 + j % 4`. Sizes are multiples of 4.
 */

/** Bytes of four numbers. */
const STEP: usize = 32;
/** The last 4x4 product, row by row. */
const TILE: usize = 0;

/** `TILE[r][c] = Σ_k a[k][r] b[k][c]`, of two panels. */
function multiply(a: usize, b: usize, count: i32): void {
  let s00 = f64x2.splat(0);
  let s01 = f64x2.splat(0);
  let s10 = f64x2.splat(0);
  let s11 = f64x2.splat(0);
  let s20 = f64x2.splat(0);
  let s21 = f64x2.splat(0);
  let s30 = f64x2.splat(0);
  let s31 = f64x2.splat(0);
  for (let k: i32 = 0; k < count; k += 1) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const a0 = v128.load64_splat(a);
    s00 = f64x2.add(s00, f64x2.mul(a0, b0));
    s01 = f64x2.add(s01, f64x2.mul(a0, b1));
    const a1 = v128.load64_splat(a, 8);
    s10 = f64x2.add(s10, f64x2.mul(a1, b0));
    s11 = f64x2.add(s11, f64x2.mul(a1, b1));
    const a2 = v128.load64_splat(a, 16);
    s20 = f64x2.add(s20, f64x2.mul(a2, b0));
    s21 = f64x2.add(s21, f64x2.mul(a2, b1));
    const a3 = v128.load64_splat(a, 24);
    s30 = f64x2.add(s30, f64x2.mul(a3, b0));
    s31 = f64x2.add(s31, f64x2.mul(a3, b1));
    a += STEP;
    b += STEP;
  }
  v128.store(TILE, s00);
  v128.store(TILE, s01, 16);
  v128.store(TILE, s10, 32);
  v128.store(TILE, s11, 48);
  v128.store(TILE, s20, 64);
  v128.store(TILE, s21, 80);
  v128.store(TILE, s30, 96);
  v128.store(TILE, s31, 112);
}

/** Takes `g' g` from the upper triangle of `m`; `g` has `height` rows. */
export function takeGram(m: usize, size: i32, g: usize, height: i32): void {
  for (let i: i32 = 0; i < size; i += 4) {
    for (let j: i32 = 0; j <= i; j += 4) {
      multiply(g + <usize>(j * height) * 8, g + <usize>(i * height) * 8, height);
      const target = m + <usize>(i * size + j * 4) * 8;
      for (let at: usize = 0; at < 128; at += 16) {
        v128.store(target + at, f64x2.sub(v128.load(target + at), v128.load(TILE + at)));
      }
    }
  }
}

/** Makes the upper triangle of `m` that of its factor `L'`. False when a pivot is not positive. */
export function factor(m: usize, size: i32): bool {
  for (let j: i32 = 0; j < size; j += 4) {
    const own = m + <usize>(j * size) * 8;
    for (let i: i32 = j; i < size; i += 4) {
      const panel = m + <usize>(i * size) * 8;
      multiply(own, panel, j);
      for (let c: i32 = 0; c < 4; c += 1) {
        const row = panel + <usize>(j + c) * STEP;
        let low = f64x2.sub(v128.load(row), v128.load(TILE + <usize>c * STEP));
        let high = f64x2.sub(v128.load(row, 16), v128.load(TILE + <usize>c * STEP, 16));
        for (let k: i32 = j; k < j + c; k += 1) {
          const share = v128.load64_splat(own + <usize>k * STEP + <usize>c * 8);
          low = f64x2.sub(low, f64x2.mul(v128.load(panel + <usize>k * STEP), share));
          high = f64x2.sub(high, f64x2.mul(v128.load(panel + <usize>k * STEP, 16), share));
        }
        v128.store(row, low);
        v128.store(row, high, 16);
        const pivot = own + <usize>(j + c) * STEP + <usize>c * 8;
        if (i === j) {
          const value = f64.load(pivot);
          if (!(value > 0)) return false;
          const root = sqrt(value);
          for (let r: i32 = c + 1; r < 4; r += 1) {
            const place = row + <usize>r * 8;
            f64.store(place, f64.load(place) / root);
          }
          f64.store(pivot, root);
        } else {
          const divisor = v128.load64_splat(pivot);
          v128.store(row, f64x2.div(low, divisor));
          v128.store(row, f64x2.div(high, divisor), 16);
        }
      }
    }
  }
  return true;
}

/** Writes `L⁻¹` to `x`, whose numbers are 0, and `(L L')⁻¹` row by row to `s`; `m` is what `factor` made. */
export function invert(m: usize, size: i32, x: usize, s: usize): void {
  for (let j: i32 = 0; j < size; j += 4) {
    const own = x + <usize>(j * size) * 8;
    for (let i: i32 = j; i < size; i += 4) {
      const panel = m + <usize>(i * size) * 8;
      multiply(panel + <usize>j * STEP, own + <usize>j * STEP, i - j);
      for (let r: i32 = 0; r < 4; r += 1) {
        const row = own + <usize>(i + r) * STEP;
        let low = f64x2.splat(0);
        let high = f64x2.splat(0);
        if (i === j) {
          if (r === 0) low = f64x2.replace_lane(low, 0, 1);
          if (r === 1) low = f64x2.replace_lane(low, 1, 1);
          if (r === 2) high = f64x2.replace_lane(high, 0, 1);
          if (r === 3) high = f64x2.replace_lane(high, 1, 1);
        }
        low = f64x2.sub(low, v128.load(TILE + <usize>r * STEP));
        high = f64x2.sub(high, v128.load(TILE + <usize>r * STEP, 16));
        for (let k: i32 = i; k < i + r; k += 1) {
          const share = v128.load64_splat(panel + <usize>k * STEP + <usize>r * 8);
          low = f64x2.sub(low, f64x2.mul(share, v128.load(own + <usize>k * STEP)));
          high = f64x2.sub(high, f64x2.mul(share, v128.load(own + <usize>k * STEP, 16)));
        }
        const pivot = v128.load64_splat(panel + <usize>(i + r) * STEP + <usize>r * 8);
        v128.store(row, f64x2.div(low, pivot));
        v128.store(row, f64x2.div(high, pivot), 16);
      }
    }
  }
  for (let j: i32 = 0; j < size; j += 4) {
    for (let i: i32 = j; i < size; i += 4) {
      const from = <usize>i * STEP;
      multiply(x + <usize>(i * size) * 8 + from, x + <usize>(j * size) * 8 + from, size - i);
      for (let r: i32 = 0; r < 4; r += 1) {
        const tile = TILE + <usize>r * STEP;
        const row = s + <usize>((i + r) * size + j) * 8;
        v128.store(row, v128.load(tile));
        v128.store(row, v128.load(tile, 16), 16);
        for (let c: i32 = 0; c < 4; c += 1) {
          f64.store(s + <usize>((j + c) * size + i + r) * 8, f64.load(tile + <usize>c * 8));
        }
      }
    }
  }
}

/** `sum += Σ_k arms[k] rows[columns[k]]`: rows of the row by row matrix `s`, four of them in one pass. */
export function addRows(sum: usize, size: i32, s: usize, columns: usize, arms: usize, count: i32): void {
  const step = <usize>size * 8;
  for (let k: i32 = 0; k < count; k += 4) {
    const last = count - 1;
    const r0 = s + <usize>load<i32>(columns + <usize>k * 4) * step;
    const r1 = s + <usize>load<i32>(columns + <usize>min(k + 1, last) * 4) * step;
    const r2 = s + <usize>load<i32>(columns + <usize>min(k + 2, last) * 4) * step;
    const r3 = s + <usize>load<i32>(columns + <usize>min(k + 3, last) * 4) * step;
    const v0 = v128.load64_splat(arms + <usize>k * 8);
    const v1 = k + 1 < count ? v128.load64_splat(arms + <usize>k * 8, 8) : f64x2.splat(0);
    const v2 = k + 2 < count ? v128.load64_splat(arms + <usize>k * 8, 16) : f64x2.splat(0);
    const v3 = k + 3 < count ? v128.load64_splat(arms + <usize>k * 8, 24) : f64x2.splat(0);
    for (let at: usize = 0; at < step; at += 16) {
      let value = v128.load(sum + at);
      value = f64x2.add(value, f64x2.mul(v0, v128.load(r0 + at)));
      value = f64x2.add(value, f64x2.mul(v1, v128.load(r1 + at)));
      value = f64x2.add(value, f64x2.mul(v2, v128.load(r2 + at)));
      value = f64x2.add(value, f64x2.mul(v3, v128.load(r3 + at)));
      v128.store(sum + at, value);
    }
  }
}

/**
 * Sparse rows: `start` of each in `columns` and `values`, columns ascending. The first `leaves` columns meet at most one
 * in a row; theirs lie in `tips` and `arms` (see ArrowShape), the others' lower triangle row by row in `core`.
 */

/** Adds `X' diag(w) X`. */
export function addGram(
  count: i32,
  start: usize,
  columns: usize,
  values: usize,
  w: usize,
  leaves: i32,
  size: i32,
  tips: usize,
  arms: usize,
  armStart: usize,
  armColumns: usize,
  core: usize,
): void {
  for (let i: i32 = 0; i < count; i += 1) {
    const weight = f64.load(w + <usize>i * 8);
    if (weight === 0) continue;
    let begin = load<i32>(start + <usize>i * 4);
    const end = load<i32>(start + <usize>i * 4, 4);
    if (begin === end) continue;
    const first = load<i32>(columns + <usize>begin * 4);
    if (first < leaves) {
      const own = f64.load(values + <usize>begin * 8);
      const value = weight * own;
      const tip = tips + <usize>first * 8;
      f64.store(tip, f64.load(tip) + value * own);
      begin += 1;
      let arm = load<i32>(armStart + <usize>first * 4);
      for (let k = begin; k < end; k += 1) {
        const place = load<i32>(columns + <usize>k * 4) - leaves;
        while (load<i32>(armColumns + <usize>arm * 4) < place) arm += 1;
        const target = arms + <usize>arm * 8;
        f64.store(target, f64.load(target) + value * f64.load(values + <usize>k * 8));
      }
    }
    let k = begin;
    // Four rows of the core at once: they meet the same columns.
    for (; k + 4 <= end; k += 4) {
      const own = columns + <usize>k * 4;
      const r0 = core + <usize>((load<i32>(own) - leaves) * size - leaves) * 8;
      const r1 = core + <usize>((load<i32>(own, 4) - leaves) * size - leaves) * 8;
      const r2 = core + <usize>((load<i32>(own, 8) - leaves) * size - leaves) * 8;
      const r3 = core + <usize>((load<i32>(own, 12) - leaves) * size - leaves) * 8;
      const mine = values + <usize>k * 8;
      const v0 = weight * f64.load(mine);
      const v1 = weight * f64.load(mine, 8);
      const v2 = weight * f64.load(mine, 16);
      const v3 = weight * f64.load(mine, 24);
      let value = values + <usize>begin * 8;
      for (let column = columns + <usize>begin * 4; column <= own; column += 4) {
        const place = <usize>load<i32>(column) * 8;
        const met = f64.load(value);
        addTo(r0 + place, v0 * met);
        addTo(r1 + place, v1 * met);
        addTo(r2 + place, v2 * met);
        addTo(r3 + place, v3 * met);
        value += 8;
      }
      const p1 = <usize>load<i32>(own, 4) * 8;
      const p2 = <usize>load<i32>(own, 8) * 8;
      addTo(r1 + p1, v1 * f64.load(mine, 8));
      addTo(r2 + p1, v2 * f64.load(mine, 8));
      addTo(r3 + p1, v3 * f64.load(mine, 8));
      addTo(r2 + p2, v2 * f64.load(mine, 16));
      addTo(r3 + p2, v3 * f64.load(mine, 16));
      addTo(r3 + <usize>load<i32>(own, 12) * 8, v3 * f64.load(mine, 24));
    }
    for (; k < end; k += 1) {
      const row = core + <usize>((load<i32>(columns + <usize>k * 4) - leaves) * size - leaves) * 8;
      const value = weight * f64.load(values + <usize>k * 8);
      for (let m = begin; m <= k; m += 1) {
        addTo(row + <usize>load<i32>(columns + <usize>m * 4) * 8, value * f64.load(values + <usize>m * 8));
      }
    }
  }
}

function addTo(place: usize, value: f64): void {
  f64.store(place, f64.load(place) + value);
}

/** `x' S x` of every row. */
export function quadratics(
  count: i32,
  start: usize,
  columns: usize,
  values: usize,
  result: usize,
  leaves: i32,
  size: i32,
  tips: usize,
  arms: usize,
  armStart: usize,
  armColumns: usize,
  core: usize,
): void {
  for (let i: i32 = 0; i < count; i += 1) {
    let begin = load<i32>(start + <usize>i * 4);
    const end = load<i32>(start + <usize>i * 4, 4);
    let sum: f64 = 0;
    const first = begin < end ? load<i32>(columns + <usize>begin * 4) : leaves;
    if (first < leaves) {
      const value = f64.load(values + <usize>begin * 8);
      let inner = 0.5 * f64.load(tips + <usize>first * 8) * value;
      begin += 1;
      let arm = load<i32>(armStart + <usize>first * 4);
      for (let k = begin; k < end; k += 1) {
        const place = load<i32>(columns + <usize>k * 4) - leaves;
        while (load<i32>(armColumns + <usize>arm * 4) < place) arm += 1;
        inner += f64.load(arms + <usize>arm * 8) * f64.load(values + <usize>k * 8);
      }
      sum += 2 * value * inner;
    }
    for (let k = begin; k < end; k += 1) {
      const own = load<i32>(columns + <usize>k * 4);
      const row = core + <usize>((own - leaves) * size - leaves) * 8;
      const value = f64.load(values + <usize>k * 8);
      let inner = 0.5 * f64.load(row + <usize>own * 8) * value;
      for (let m = begin; m < k; m += 1) {
        inner +=
          f64.load(row + <usize>load<i32>(columns + <usize>m * 4) * 8) * f64.load(values + <usize>m * 8);
      }
      sum += 2 * value * inner;
    }
    f64.store(result + <usize>i * 8, sum);
  }
}

/** Products of the four columns of a panel with the first `count` columns (a multiple of 4) of `b`, as four rows. */
export function panelProducts(out: usize, a: usize, b: usize, height: i32, count: i32): void {
  for (let j: i32 = 0; j < count; j += 4) {
    multiply(a, b + <usize>(j * height) * 8, height);
    for (let r: i32 = 0; r < 4; r += 1) {
      const target = out + <usize>(r * count + j) * 8;
      v128.store(target, v128.load(TILE + <usize>r * STEP));
      v128.store(target, v128.load(TILE + <usize>r * STEP, 16), 16);
    }
  }
}
