import { afterAll, beforeAll, describe } from 'vitest';
import type { Backend, Place, RunningBackend } from './backend.ts';
import { BACKENDS } from './backends.ts';
import { prismaSqlite } from './prisma-sqlite.ts';

type Tests = (newPlace: () => Place, backend: string) => void;

/**
 * Runs the same tests on every backend. `newPlace` returns a new, empty place. By day not with Prisma on SQLite: PostgreSQL
 * and SQLite stand for it.
 */
export function onEveryBackend(tests: Tests, backends: readonly Backend[] = BACKENDS): void {
  for (const backend of backends) onBackend(backend, tests, backend === prismaSqlite);
}

/** Runs tests that a backend hardly changes: by day on some backends, every night on all. */
export function onSomeBackends(tests: Tests, backends: readonly Backend[] = BACKENDS): void {
  for (const backend of backends) onBackend(backend, tests, backend.partByDay === true);
}

function onBackend({ name, start }: Backend, tests: Tests, isNightly: boolean): void {
  describe(`on ${name}`, isNightly ? { tags: ['nightly'] } : {}, () => {
    let running: RunningBackend | undefined;
    beforeAll(async () => {
      running = await start();
    });
    afterAll(() => running?.stop());
    tests(() => (running as RunningBackend).place(), name);
  });
}
