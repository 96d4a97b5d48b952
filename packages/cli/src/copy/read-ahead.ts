/** The values of a source, of which the next is read while the caller uses the last. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const read = () => {
    const next = iterator.next();
    // It rejects below, once the caller is done with the value before it.
    next.catch(() => {});
    return next;
  };
  try {
    for (let next = read(); ; ) {
      const { value, done } = await next;
      if (done) return;
      next = read();
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
