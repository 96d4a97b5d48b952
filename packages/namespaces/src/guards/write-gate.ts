import { MemoryError } from '@keepsake/core';
import { type Principal, principalName } from '../space/principal.ts';

/** Keeps a principal's writes out while they are erased. Of one space: other processes it doesn't know. */
export class Fence {
  readonly #closed = new Map<string, number>();
  readonly #writes = new Map<string, Set<Promise<unknown>>>();

  /**
   * Makes a write of a principal, at once.
   *
   * @throws MemoryError `CONFLICT` while they are erased.
   */
  async write<T>(principal: Principal, work: () => Promise<T>): Promise<T> {
    const name = principalName(principal);
    if (this.#closed.has(name)) {
      throw new MemoryError('CONFLICT', 'The memory of this principal is being erased. Write again when that is done.');
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

  /** Does work during which a principal writes nothing, once what they are writing has ended. */
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
