/** A binary heap with fast access to its first item. */
export class Heap<Item> {
  readonly #comesBefore: (a: Item, b: Item) => boolean;
  readonly #items: Item[] = [];

  constructor(comesBefore: (a: Item, b: Item) => boolean) {
    this.#comesBefore = comesBefore;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  /** All items, unordered. */
  get items(): readonly Item[] {
    return this.#items;
  }

  push(item: Item): void {
    const items = this.#items;
    let place = items.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above] as Item;
      if (!this.#comesBefore(item, parent)) break;
      items[place] = parent;
      place = above;
    }
    items[place] = item;
  }

  /** Replaces the first item. */
  replaceFirst(item: Item): void {
    const items = this.#items;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && this.#comesBefore(items[below + 1] as Item, items[below] as Item)) below++;
      const child = items[below] as Item;
      if (!this.#comesBefore(child, item)) break;
      items[place] = child;
      place = below;
    }
    items[place] = item;
  }

  removeFirst(): void {
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.replaceFirst(last);
  }
}
