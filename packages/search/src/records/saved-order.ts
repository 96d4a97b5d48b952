import type { EntryView } from './entry.ts';

/** The rows of a snapshot, as an order of some of them sees them. */
export interface OrderedRows<Place> {
  /** The entry of a row, whether it is gone or not. */
  at(row: number): EntryView<Place>;
  isGone(row: number): boolean;
}

/** Rows of a snapshot in the order of their creation. */
export class SavedOrder<Place> {
  readonly #rows: OrderedRows<Place>;
  readonly #rowAt: (place: number) => number;
  readonly #from: number;
  readonly #end: number;

  /** @param rowAt - The row at a place between `from` and before `end`. */
  constructor(rows: OrderedRows<Place>, rowAt: (place: number) => number, from: number, end: number) {
    this.#rows = rows;
    this.#rowAt = rowAt;
    this.#from = from;
    this.#end = end;
  }

  /** The rows that are not gone, oldest first. */
  *present(from = this.#from): Iterable<number> {
    for (let place = from; place < this.#end; place++) {
      const row = this.#rowAt(place);
      if (!this.#rows.isGone(row)) yield row;
    }
  }

  /** The entries created after `created`, oldest first. */
  *after(created: number): Iterable<EntryView<Place>> {
    const from = this.#placeOf((other) => other > created);
    for (const row of this.present(from)) yield this.#rows.at(row);
  }

  /** The entries created before `created`, newest first. */
  *before(created: number): Iterable<EntryView<Place>> {
    for (let place = this.#placeOf((other) => other >= created) - 1; place >= this.#from; place--) {
      const row = this.#rowAt(place);
      if (!this.#rows.isGone(row)) yield this.#rows.at(row);
    }
  }

  /** The first place at which `isPast` holds, by binary search. */
  #placeOf(isPast: (created: number) => boolean): number {
    let from = this.#from;
    let to = this.#end;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (isPast(this.#rows.at(this.#rowAt(middle)).created)) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
