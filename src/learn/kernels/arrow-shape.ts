/**
 * Where a symmetric matrix has entries when its first `leaves` columns never meet each other, so that they can be
 * eliminated at no cost but their meetings with the others, the core.
 */
export interface ArrowShape {
  /** All columns. */
  readonly size: number;
  readonly leaves: number;
  /** Where each leaf's meetings begin in `columns`. */
  readonly start: Int32Array;
  /** Places in the core, ascending by leaf. */
  readonly columns: Int32Array;
}

export function coreSize({ size, leaves }: ArrowShape): number {
  return size - leaves;
}

/** The shape without leaves. */
export function denseShape(size: number): ArrowShape {
  return { size, leaves: 0, start: new Int32Array(1), columns: new Int32Array() };
}
