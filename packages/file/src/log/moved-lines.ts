import type { Stretch } from '../disk/disk.ts';

/** The numbers of a line: its former offset, its offset and its end. */
const NUMBERS = 3;

/** The new byte ranges of the lines that a compaction copied, in 24 bytes for each. */
export class MovedLines {
  #numbers = new Float64Array(64 * NUMBERS);
  #count = 0;
  #next = 0;

  /** Adds lines that follow those before. */
  add(lines: readonly Stretch[], places: readonly Stretch[]): void {
    const room = (this.#count + lines.length) * NUMBERS;
    if (room > this.#numbers.length) {
      const longer = new Float64Array(Math.max(room, Math.ceil(this.#numbers.length * 1.5)));
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    for (const [index, { offset }] of lines.entries()) {
      const { offset: from, end } = places[index] as Stretch;
      this.#numbers.set([offset, from, end], this.#count++ * NUMBERS);
    }
  }

  /** The new range of a line. Lines must be looked up in the order in which they were added; some can be left out. */
  readonly find = ({ offset }: Stretch): Stretch => {
    while (this.#next < this.#count) {
      const [former, from = 0, end = 0] = this.#numbers.subarray(this.#next * NUMBERS, ++this.#next * NUMBERS);
      if (former === offset) return { offset: from, end };
    }
    throw new RangeError('The line was not copied.');
  };
}
