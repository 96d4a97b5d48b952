/** All pairs of a list, each once. */
export function* pairs<T>(all: readonly T[]): Generator<[T, T]> {
  for (const [index, one] of all.entries()) for (const other of all.slice(index + 1)) yield [one, other];
}
