import { isMemoryError, MemoryError } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { InvalidNamespaceError } from '@langchain/langgraph-checkpoint';

/*
 * What a caller passes may run code when it is read: getters and proxies can throw, and answer differently the next time. So
 * each argument is read once, under a guard, before anything is written, and only the copy is used.
 */

/**
 * Returns what `read` returns, which reads an argument of a caller and checks it.
 *
 * @param what - The path of the argument, such as `operations[2]`.
 * @throws MemoryError as `read` does, and LangGraph's `InvalidNamespaceError`; `INVALID_ARGUMENT` for other errors, which come
 *   from the caller's values, as the cause.
 */
export function readArgument<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (isMemoryError(cause) || cause instanceof InvalidNamespaceError) throw cause;
    const message = `\`${what}\` throws an error when it is read. Pass plain objects and arrays. See the cause.`;
    throw new MemoryError('INVALID_ARGUMENT', message, { cause });
  }
}

/** Reads each element of a list once, by its index, whatever its iterator does. `at` is the path of the element. */
export function readList<T>(list: unknown, what: string, read: (element: unknown, at: string) => T): T[] {
  return readArgument(what, () => {
    expect(Array.isArray(list), `\`${what}\` must be an array.`);
    const elements: T[] = [];
    const { length } = list;
    for (let index = 0; index < length; index++) {
      const at = `${what}[${index}]`;
      elements.push(readArgument(at, () => read(list[index], at)));
    }
    return elements;
  });
}

/** The fields of an object, each of which is read once. */
export function readFields(value: unknown, what: string): [name: string, field: unknown][] {
  return readArgument(what, () => {
    expect(isObject(value), `\`${what}\` must be an object.`);
    return Object.entries(value);
  });
}

/** The path of a field: `operations[2].key`, or `key` if it has no parent. */
export function fieldOf(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}
