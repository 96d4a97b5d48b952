import { Heap } from './heap.ts';

interface Candidate {
  readonly id: number;
  readonly score: number;
  readonly age: number;
}

/**
 * Keeps the best `limit` of the offered items: higher scores first, newer first on ties. The worst kept item is at hand, so
 * one comparison rejects most offers.
 */
export class TopK {
  readonly #limit: number;
  readonly #kept = new Heap<Candidate>(isWorse);

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether `offer` would keep it. */
  accepts(score: number, age: number): boolean {
    if (this.#kept.items.length < this.#limit) return true;
    const worst = this.#kept.first;
    return worst !== undefined && (score > worst.score || (score === worst.score && age > worst.age));
  }

  offer(id: number, score: number, age: number): void {
    if (!this.accepts(score, age)) return;
    const candidate = { id, score, age };
    if (this.#kept.items.length < this.#limit) this.#kept.push(candidate);
    else this.#kept.replaceFirst(candidate);
  }

  /** Lower scores are not kept. */
  get floor(): number {
    return this.#kept.items.length < this.#limit ? -Infinity : (this.#kept.first?.score ?? -Infinity);
  }

  /** The kept items, unordered. */
  get kept(): readonly Candidate[] {
    return this.#kept.items;
  }

  /** The kept items, best first. */
  ranked(): readonly Candidate[] {
    return this.#kept.items.toSorted((a, b) => (isWorse(a, b) ? 1 : -1));
  }
}

function isWorse(a: Candidate, b: Candidate): boolean {
  return a.score < b.score || (a.score === b.score && a.age < b.age);
}
