import type { RecordStore } from '@keepsake/core';

/** A store that delays the first call of a method in a namespace until it is released. */
export interface HeldStore {
  readonly store: RecordStore;
  /** Resolves once the call has arrived and is waiting. */
  readonly reached: Promise<void>;
  release(): void;
}

/** @param place - A segment of the namespace, such as `runs`. */
export function heldStore(store: RecordStore, method: 'put' | 'delete', place: string): HeldStore {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isFirst = true;
  const held = (inner: RecordStore, isThere: boolean): RecordStore =>
    new Proxy(inner, {
      get(target, name) {
        if (name === 'within')
          return (segments: string[]) => held(target.within(segments), isThere || segments.includes(place));
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          if (name === method && isThere && isFirst) {
            isFirst = false;
            reached.resolve();
            await released.promise;
          }
          return value.apply(target, given);
        };
      },
    });
  return { store: held(store, false), reached: reached.promise, release: () => released.resolve() };
}
