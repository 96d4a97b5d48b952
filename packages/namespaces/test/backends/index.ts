import { afterAll, beforeAll, describe } from 'vitest';
import type { Place, RunningBackend } from './backend.ts';
import { BACKENDS } from './backends.ts';

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
