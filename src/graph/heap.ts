/** A queue of whole numbers that gives the smallest, in logarithmic time. */
export class NumberHeap {
  readonly #items: number[] = [];

  peek(): number | undefined {
    return this.#items[0];
  }

  push(item: number): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] ?? 0;
      if (above <= item) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (let left = 1; left < items.length; left = 2 * at + 1) {
      const smaller = (items[left + 1] ?? Infinity) < (items[left] ?? 0) ? left + 1 : left;
      const below = items[smaller] ?? 0;
      if (below >= last) break;
      items[at] = below;
      at = smaller;
    }
    items[at] = last;
    return first;
  }
}
