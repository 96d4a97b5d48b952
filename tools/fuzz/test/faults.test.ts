import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTargets } from '../src/find-targets.ts';
import { describeTarget } from '../src/report.ts';
import { runTarget } from '../src/run-target.ts';
import { LIMITS } from '../src/task.ts';

const directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
const SHARE = { seed: 16, firstInput: 0, endInput: 4, durationMs: 600_000 };
/** Of processor time, so much that only an endless loop takes it. Of memory, little, which is soon filled. */
const PATIENT = {
  ...LIMITS,
  maxCpuMs: 600_000,
  maxWaitMs: 600_000,
  maxHeapMib: 64,
  maxResidentMib: 256,
  maxGrowth: 1_000,
  minComparedMs: 50,
};

/** The targets of a package that does what none may do, on one of its inputs. */
const TARGETS = `
import { createHash } from 'node:crypto';
import { MemoryError } from '@keepsake/core';
const input = (random) => ['fine', 'bad', 'refused'][random.whole(3)];
const target = (onBad) => ({
  inputs: 40,
  input,
  isRefusal: (error) => error.name === 'UsageError',
  run(text) {
    if (text === 'refused') throw new MemoryError('INVALID_ARGUMENT', 'No.', { cause: new SyntaxError('x') });
    if (text === 'bad') return onBad();
  },
});
export const fine = target(() => 1);
export const usage = target(() => { throw Object.assign(new Error('No.'), { name: 'UsageError' }); });
export const typeError = target(() => null.length);
export const hidden = target(() => { throw new MemoryError('BACKEND', 'Failed.', { cause: new TypeError('x') }); });
export const later = target(() => void Promise.reject(new Error('nobody waits')));
export const hang = target(() => { for (;;); });
const block = new Uint8Array(500_000);
export const growth = {
  ...target(() => 1),
  grown: (random, length) => 'x'.repeat(length),
  // With the third power of its length, in native code: no slow moment and no compilation hides it.
  run(text) { for (let n = 0; n < 5 * (text.length / 65_536) ** 3; n++) createHash('sha256').update(block).digest(); },
};
export const heap = target(() => { const all = []; for (;;) all.push(new Array(1_000_000).fill(1.5)); });
export const buffers = target(() => { const all = []; for (;;) all.push(Buffer.alloc(2 ** 24, 1)); });
export const crash = target(() => process.abort());
export const exit = target(() => process.exit(3));
`;

beforeAll(() => {
  mkdirSync(join(directory, 'packages/some/test/fuzz'), { recursive: true });
  // Below the repository's modules, so that packages are found.
  const module = TARGETS.replace('@keepsake/core', import.meta.resolve('@keepsake/core'));
  writeFileSync(join(directory, 'packages/some/test/fuzz/all.ts'), module);
});

afterAll(() => rmSync(directory, { recursive: true }));

async function run(name: string) {
  const [target] = await findTargets(join(directory, 'packages'), `some/all/${name}`);
  if (target === undefined) throw new Error(`There is no target ${name}.`);
  const limits = { ...PATIENT, ...(name === 'hang' && { maxCpuMs: 150 }), ...(name === 'growth' && { maxGrowth: 5 }) };
  return runTarget(target, SHARE, join(directory, 'faults'), limits);
}

describe.concurrent('a target', { timeout: 600_000 }, () => {
  it('whose work grows faster than its input has a fault', async () => {
    const { faults } = await run('growth');
    expect(faults.map(({ kind, input }) => [kind, input])).toEqual([['growth', 0]]);
    expect(faults[0]?.text).toContain('grows faster than the input');
  });

  it.each(['fine', 'usage'])('that returns or refuses its inputs has no faults: %s', async (name) => {
    expect(await run(name)).toEqual({ name: `some/all/${name}`, seed: 16, inputCount: 4, faults: [] });
  });

  it.each([
    ['typeError', 'error', 'TypeError: Cannot read properties of null'],
    ['hidden', 'error', 'caused by TypeError: x'],
    ['later', 'error', 'Error: nobody waits'],
    ['hang', 'hang', 'processor time'],
    ['heap', 'memory', 'MiB'],
    ['buffers', 'memory', 'MiB'],
    ['crash', 'crash', 'The process crashed'],
    ['exit', 'crash', 'The process crashed'],
  ])('that must not do %s has a fault, whose input is saved', async (name, kind, text) => {
    const result = await run(name);
    expect(result.faults).toHaveLength(1);
    const [fault] = result.faults;
    expect(fault?.kind).toBe(kind);
    expect(fault?.text).toContain(text);
    expect(readFileSync(fault?.savedTo ?? '', 'utf8')).toBe('bad');
    const command = `npm run test:fuzz -- --target some/all/${name} --seed 16 --input ${fault?.input}`;
    expect(describeTarget(result, directory)).toContain(command);
  });
});
