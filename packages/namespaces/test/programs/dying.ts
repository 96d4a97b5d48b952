/** Wraps stores so that a removal kills this process before its outcome is known: shortly after it starts, or when it ends. */
export function dyingAt(removal: number): <T extends object>(target: T) => T {
  let removals = 0;
  function removing<T>(remove: () => Promise<T>): Promise<T> {
    const removed = remove();
    if (++removals === removal) {
      const kill = () => process.kill(process.pid, 'SIGKILL');
      setImmediate(kill);
      // A store that does not wait for I/O would erase everything before the event loop turns.
      removed.then(kill, kill);
    }
    return removed;
  }
  return function dying<T extends object>(target: T): T {
    return new Proxy(target, {
      get(real, name) {
        const value: unknown = Reflect.get(real, name);
        if (typeof value !== 'function') return value;
        if (name === 'within') return (...args: unknown[]) => dying(value.apply(real, args) as object);
        if (name !== 'clear' && name !== 'delete') return value.bind(real);
        return (...args: unknown[]) => removing(() => value.apply(real, args) as Promise<unknown>);
      },
    });
  };
}
