import { isMemoryError, MemoryError } from './errors.ts';
import { expect } from './expect.ts';

/*
 * What a caller passes may run code when it is read: getters and proxies can throw, and answer differently the next time. So
 * each value is read once, under a guard, and only the copy is used.
 */

/**
 * Returns what `read` returns, which reads values of a caller and checks them.
 *
 * @throws MemoryError as `read` does; `INVALID_ARGUMENT` for other errors, which come from the caller's values, as the cause.
 */
export function guarded<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (isMemoryError(cause)) throw cause;
    throw new MemoryError('INVALID_ARGUMENT', `${what} throws an error. See its cause.`, {
      cause,
    });
  }
}

/** A copy of a list, see {@link copyList}, read under a guard. `what` names it in errors. */
export function readList<Element>(
  list: readonly Element[],
  what: string,
  message = `${what} must be an array.`,
): Element[] {
  return guarded(what, () => copyList(list, message));
}

/**
 * Copies a list by its indexes, whatever its iterator and methods do, up to the first element that is `undefined`, which no
 * list may have. Throws `INVALID_ARGUMENT` with `message` unless it is an array.
 */
export function copyList<Element>(list: readonly Element[], message: string): Element[] {
  expect(Array.isArray(list), message);
  const copy: Element[] = [];
  const { length } = list as readonly Element[];
  for (let index = 0; index < length; index++) {
    copy.push((list as readonly Element[])[index] as Element);
    if (copy[index] === undefined) break;
  }
  return copy;
}
