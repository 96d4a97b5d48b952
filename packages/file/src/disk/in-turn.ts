const last = new Map<string, Promise<unknown>>();

/** Runs tasks with the same key one after the other, in the order of the calls. */
export function serially<T>(key: string, task: () => Promise<T>): Promise<T> {
  const result = (last.get(key) ?? Promise.resolve()).then(task);
  const settled = result.then(ignore, ignore);
  last.set(key, settled);
  settled.then(() => {
    if (last.get(key) === settled) last.delete(key);
  });
  return result;
}

function ignore(): void {}
