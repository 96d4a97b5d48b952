import { MemoryError } from '@keepsake/core';
import { type Principal, principalName } from '../space/principal.ts';

/** Refuses writes of a principal during their erasure. Covers this space only, not other processes. */
export class WriteGate {
  readonly #closed = new Map<string, number>();
  readonly #writes = new Map<string, Set<Promise<unknown>>>();

  /**
   * Starts a write of a principal immediately.
   *
   * @throws MemoryError `CONFLICT` during their erasure.
   */
  async write<T>(principal: Principal, work: () => Promise<T>): Promise<T> {
    const name = principalName(principal);
    if (this.#closed.has(name)) {
      throw new MemoryError('CONFLICT', 'The memory of this principal is being erased. Retry when that is done.');
    }
    const written = work();
    const writes = this.#writes.get(name) ?? new Set();
    this.#writes.set(name, writes.add(written));
    try {
      return await written;
    } finally {
      writes.delete(written);
      if (writes.size === 0) this.#writes.delete(name);
    }
  }

  /** Waits for the principal's writes in flight, then runs `work` while new ones are refused. */
  async without<T>(principal: Principal, work: () => Promise<T>): Promise<T> {
    const name = principalName(principal);
    this.#closed.set(name, (this.#closed.get(name) ?? 0) + 1);
    try {
      await Promise.allSettled(this.#writes.get(name) ?? []);
      return await work();
    } finally {
      const left = (this.#closed.get(name) ?? 1) - 1;
      if (left > 0) this.#closed.set(name, left);
      else this.#closed.delete(name);
    }
  }
}
