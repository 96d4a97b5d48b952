import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { recordStoreCases } from '../../src/record-store/cases.ts';
import { describeRecordStore } from '../../src/record-store/describe-record-store.ts';
import type { RecordStoreHarness } from '../../src/record-store/harness.ts';
import { ALL, NONE } from './reference.ts';
import { FEW, referenceHarness, VARIANTS } from './reference-harness.ts';

function count(
  capabilities: typeof ALL,
  concerns?: readonly string[],
): { readonly promised: number; readonly skipped: number } {
  const groups = recordStoreCases.filter(({ concern }) => concerns?.includes(concern) ?? true);
  const cases = groups.flatMap((group) => group.cases);
  const promised = cases.filter(({ when }) => when?.(capabilities) ?? true).length;
  return { promised, skipped: cases.length - promised };
}

/** Registers the kit with a runner that only records the cases. */
function registered(capabilities: typeof ALL, harness: () => RecordStoreHarness) {
  const run: { title: string; body: () => Promise<void> }[] = [];
  const skipped: string[] = [];
  const it = Object.assign((title: string, body: () => Promise<void>) => run.push({ title, body }), {
    skip: (title: string) => skipped.push(title),
  });
  describeRecordStore({ describe: (_, body) => body(), it, name: 'a store', capabilities, harness });
  return { run, skipped };
}

describe('the record store kit', () => {
  it('runs under node:test as it does under Vitest, and reports skipped cases', async () => {
    const file = `${import.meta.dirname}/node-test-run.ts`;
    const flags = ['--conditions=@keepsake/source', '--test', '--test-reporter=tap'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, file], { maxBuffer: 1 << 26 });
    const expected = Object.values(VARIANTS).map(({ capabilities }) => count(capabilities, FEW.concerns));
    const sum = (key: 'promised' | 'skipped') => expected.reduce((total, one) => total + one[key], 0);
    expect(stdout).toContain(`\n# pass ${sum('promised')}\n`);
    expect(stdout).toContain(`\n# skipped ${sum('skipped')}\n`);
    expect(stdout).toContain('\n# fail 0\n');
  });

  it('skips cases that a store does not promise, and runs the opposite ones', () => {
    for (const capabilities of [ALL, NONE]) {
      const { run, skipped } = registered(capabilities, () => referenceHarness({ capabilities }));
      expect({ promised: run.length, skipped: skipped.length }).toEqual(count(capabilities));
      const refuses = 'a store without time to live refuses it, and writes nothing';
      expect(run.some(({ title }) => title === refuses)).toBe(!capabilities.ttl);
      expect(skipped.includes(refuses)).toBe(capabilities.ttl);
    }
  });

  it('closes the harness of each case, even if the case fails', async () => {
    let [opened, closed] = [0, 0];
    const { run } = registered(ALL, () => {
      opened++;
      return { ...referenceHarness({ place: () => 'one place for all' }), close: () => void closed++ };
    });
    const outcomes = await Promise.allSettled(run.slice(0, 40).map(({ body }) => body()));
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    expect([opened, closed]).toEqual([40, 40]);
  });
});
