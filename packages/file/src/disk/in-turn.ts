import { Turns } from '@keepsake/internal';

/** Without a wait for the disk, no call leaves the turn of the event loop in which it began. So calls wait for this first. */
export const TURNS = new Turns(10);

const last = new Map<string, Promise<unknown>>();

/** Runs tasks with the same key one after the other, in the order of the calls. */
export function serially<T>(key: string, task: () => Promise<T>): Promise<T> {
  const inTurn = async () => {
    await TURNS.wait;
    return task();
  };
  const result = (last.get(key) ?? Promise.resolve()).then(inTurn);
  const settled = result.then(ignore, ignore);
  last.set(key, settled);
  settled.then(() => {
    if (last.get(key) === settled) last.delete(key);
  });
  return result;
}

function ignore(): void {}
