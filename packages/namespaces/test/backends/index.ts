import { afterAll, beforeAll, describe } from 'vitest';
import type { Backend, Place, RunningBackend } from './backend.ts';
import { file } from './file.ts';
import { inMemory } from './in-memory.ts';
import { redis } from './redis.ts';

/** Every backend that is to hold what namespaces promise. */
const BACKENDS: readonly Backend[] = [inMemory, file, redis];

/** The same tests on every backend. `place` gives one that nobody has used. */
export function onEveryBackend(tests: (place: () => Place, backend: string) => void): void {
  describe.each(BACKENDS)('on $name', ({ name, start }) => {
    let running: RunningBackend | undefined;
    beforeAll(async () => {
      running = await start();
    });
    afterAll(() => running?.stop());
    tests(() => (running as RunningBackend).place(), name);
  });
}
