import type { RecordStore } from '@keepsake/core';

/** A store that holds back the first call of a method at a place until it is let go. */
export interface HeldStore {
  readonly store: RecordStore;
  /** The call is there, and waits. */
  readonly reached: Promise<void>;
  letGo(): void;
}

/** @param place - A segment of the namespace, such as `runs`. */
export function heldStore(store: RecordStore, method: 'put' | 'delete', place: string): HeldStore {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
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
            await gone.promise;
          }
          return value.apply(target, given);
        };
      },
    });
  return { store: held(store, false), reached: reached.promise, letGo: () => gone.resolve() };
}
