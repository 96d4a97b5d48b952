import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KitResult } from '../src/cases.ts';
import { type StartedWorker, startWorker } from '../src/index.ts';

describe('in Cloudflare Workers', { tags: ['nightly'] }, () => {
  let worker: StartedWorker;

  beforeAll(async () => {
    // The kit itself needs node:assert.
    worker = await startWorker(join(import.meta.dirname, 'kits/workers.ts'), { OBJECTS: 'KitObject' }, [
      'nodejs_compat',
    ]);
  });
  afterAll(() => worker.stop());

  it.each([
    ['@keepsake/in-memory', 'in-memory'],
    ['@keepsake/sqlite on Durable Objects', 'sqlite'],
  ])('%s passes the whole kit', async (_, path) => {
    const { passed, failures } = (await (await worker.fetch(`http://kit/${path}`)).json()) as KitResult;
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThan(600);
  });
});
