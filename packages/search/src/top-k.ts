interface Candidate {
  readonly id: number;
  readonly score: number;
  readonly age: number;
}

/**
 * The best `limit` of all that is offered: higher scores first, of equal ones the higher age number, which is the
 * newer. A heap with the worst of the kept at its root, so that most offers are turned down by one comparison.
 */
export class TopK {
  readonly #limit: number;
  readonly #heap: Candidate[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether `offer` would keep it. */
  accepts(score: number, age: number): boolean {
    if (this.#heap.length < this.#limit) return true;
    const worst = this.#heap[0];
    return worst !== undefined && (score > worst.score || (score === worst.score && age > worst.age));
  }

  offer(id: number, score: number, age: number): void {
    if (!this.accepts(score, age)) return;
    const candidate = { id, score, age };
    if (this.#heap.length < this.#limit) this.#rise(candidate);
    else this.#sink(candidate);
  }

  /** What was kept, best first. */
  ranked(): readonly Candidate[] {
    return this.#heap.toSorted((a, b) => (isWorse(a, b) ? 1 : -1));
  }

  #rise(candidate: Candidate): void {
    const heap = this.#heap;
    let place = heap.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isWorse(parent, candidate)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = candidate;
  }

  #sink(candidate: Candidate): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      let child = heap[below];
      const right = heap[below + 1];
      if (child !== undefined && right !== undefined && isWorse(right, child)) {
        child = right;
        below++;
      }
      if (child === undefined || isWorse(candidate, child)) break;
      heap[place] = child;
      place = below;
    }
    heap[place] = candidate;
  }
}

function isWorse(a: Candidate, b: Candidate): boolean {
  return a.score < b.score || (a.score === b.score && a.age < b.age);
}
