import { afterAll, beforeAll, describe } from 'vitest';
import type { Backend, Place, RunningBackend } from './backend.ts';
import { BACKENDS } from './backends.ts';

/** Runs the same tests on every backend. `newPlace` returns a new, empty place. */
export function onEveryBackend(
  tests: (newPlace: () => Place, backend: string) => void,
  backends: readonly Backend[] = BACKENDS,
): void {
  describe.each(backends)('on $name', ({ name, start }) => {
    let running: RunningBackend | undefined;
    beforeAll(async () => {
      running = await start();
    });
    afterAll(() => running?.stop());
    tests(() => (running as RunningBackend).place(), name);
  });
}
