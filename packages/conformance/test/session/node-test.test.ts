import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sessionCases } from '../../src/session/cases.ts';
import { sessionStoreCases } from '../../src/session-store/cases.ts';
import { everything, FEW } from './reference-harness.ts';

describe('the session kits under node:test', () => {
  // By day, the kit for stores shows the same, in record-store/runners.test.ts.
  it('pass on the reference, and report cases that it does not promise as skipped', { tags: ['nightly'] }, async () => {
    const file = fileURLToPath(new URL('node-test-runner.ts', import.meta.url));
    const args = ['--conditions=@keepsake/source', '--test', '--test-reporter=tap', file];
    // Settings of Vitest or an outer node:test must not reach this process.
    const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 16 * 1024 * 1024 });
    const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1]);
    const { concerns } = FEW;
    const groups = sessionCases.filter(({ concern }) => concerns?.includes(concern) ?? true);
    const sessions = groups.flatMap(({ cases }) => cases.map((one) => one.when?.(everything) ?? true));
    const stores = sessionStoreCases.flatMap(({ cases }) => cases.map((one) => one.when?.({ shared: true }) ?? true));
    const promised = [...sessions, ...stores];
    expect({ pass: count('pass'), fail: count('fail'), skipped: count('skipped') }).toEqual({
      pass: promised.filter(Boolean).length,
      fail: 0,
      skipped: promised.filter((one) => !one).length,
    });
  });
});
