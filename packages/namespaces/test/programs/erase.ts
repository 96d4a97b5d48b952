// Erases a user in a separate process. Arguments: backend, address of the place, user, and the number of the removal during which it kills itself. Without that number, it runs to the end and prints the receipt.
import type { RecordStore } from '@keepsake/core';
import { MemorySpace } from '../../src/index.ts';
import { openPlace } from './open-place.ts';

const [backend = '', address = '', id = '', killedAt = '0'] = process.argv.slice(2);
const { store, sessions, close } = openPlace(backend, address);
let removals = 0;

/** Starts a removal and kills the process before the outcome is known: shortly after the start, or when it has ended. */
function removing<T>(remove: () => Promise<T>): Promise<T> {
  const removed = remove();
  if (++removals === Number(killedAt)) {
    const kill = () => process.kill(process.pid, 'SIGKILL');
    setImmediate(kill);
    // A store that does not wait for I/O would erase everything before the event loop turns.
    removed.then(kill, kill);
  }
  return removed;
}

function watched<T extends object>(target: T): T {
  return new Proxy(target, {
    get(real, name) {
      const value: unknown = Reflect.get(real, name);
      if (typeof value !== 'function') return value;
      if (name === 'within') return (...args: unknown[]) => watched(value.apply(real, args) as RecordStore);
      if (name !== 'clear' && name !== 'delete') return value.bind(real);
      return (...args: unknown[]) => removing(() => value.apply(real, args) as Promise<unknown>);
    },
  });
}

const space = new MemorySpace({ store: watched(store), sessions: watched(sessions), agents: { bot: {} } });
const receipt = await space.eraseUser({ id }, { sharedEntries: true });
process.stdout.write(JSON.stringify(receipt));
close();
