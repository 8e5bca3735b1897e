/** Reads a number of an array. The index is the caller's promise; outside the array the answer is 0. */
export function at(numbers: ArrayLike<number>, index: number): number {
  return numbers[index] ?? 0;
}

export function addAt(numbers: Float64Array, index: number, value: number): void {
  numbers[index] = (numbers[index] ?? 0) + value;
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += at(a, i) * at(b, i);
  return sum;
}

/** `matrix` is row-major with `x.length` columns. */
export function times(matrix: Float64Array, x: Float64Array): Float64Array {
  const n = x.length;
  const product = new Float64Array(matrix.length / Math.max(1, n));
  for (let row = 0; row < product.length; row += 1) {
    const start = row * n;
    let sum = 0;
    for (let i = 0; i < n; i += 1) sum += (matrix[start + i] ?? 0) * (x[i] ?? 0);
    product[row] = sum;
  }
  return product;
}

export function clip(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
