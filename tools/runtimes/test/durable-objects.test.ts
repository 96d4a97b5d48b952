import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { KitResult } from '../src/cases.ts';
import { startWorker } from '../src/index.ts';

it('@keepsake/sqlite passes the whole kit in Durable Objects', { tags: ['nightly'] }, async () => {
  const path = join(import.meta.dirname, 'kits/durable-objects.ts');
  // The kit itself needs node:assert.
  const worker = await startWorker(path, { OBJECTS: 'KitObject' }, ['nodejs_compat']);
  onTestFinished(() => worker.stop());
  const { passed, failures } = (await (await worker.fetch('http://kit/')).json()) as KitResult;
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(600);
});
