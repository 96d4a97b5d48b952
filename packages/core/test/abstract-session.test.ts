import { memoryError } from '@keepsake/testing/memory-error';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SessionBackend } from '../src/adapter.ts';
import { StoredTexts, TextSession } from './support/text-session.ts';

const DAMAGED = ['{"n":', '[]', 'null', '7', ''];
const texts = (...numbers: number[]) => numbers.map((n) => JSON.stringify({ n }));
const refusal = (repair = 'restore a backup') =>
  memoryError('CORRUPT', `This would change a damaged item, so nothing was changed. Clear the session, or ${repair}.`);
const call = { type: 'function_call', callId: 'c' };
const replaceCall = { mutations: [{ type: 'replace_function_call' as const, callId: 'c', replacement: { n: 9 } }] };

afterEach(() => vi.restoreAllMocks());

describe('damaged items', () => {
  it('are skipped by reads, which then read older items, and reported once per session', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const session = new TextSession(new StoredTexts([...texts(1, 2), ...DAMAGED, ...texts(3)]));
    for (const [limit, numbers] of [
      [undefined, [1, 2, 3]],
      [1, [3]],
      [2, [2, 3]],
      [3, [1, 2, 3]],
      [99, [1, 2, 3]],
    ] as const) {
      expect(await session.getItems(limit)).toEqual(numbers.map((n) => ({ n })));
    }
    expect(warn.mock.calls).toEqual([
      ['Keepsake: session "texts" has damaged items. They are skipped and left unchanged.'],
    ]);
  });

  it('are each reported once with their number if the backend has one', async () => {
    const stored = new StoredTexts([...texts(1), '{', ...texts(2), '[']);
    const reports: number[] = [];
    const numbered: SessionBackend = {
      newest: (limit) => stored.newest(limit),
      append: (items) => stored.append(items),
      change: (asked, decide) => stored.change(asked, decide),
      numbered: async (limit) =>
        stored.texts.map((text, index) => ({ number: 10 + index, text })).slice(-Math.min(limit, 4)),
      onDamage: (number) => reports.push(number),
    };
    const session = new TextSession(numbered);
    expect(await session.getItems(1)).toEqual([{ n: 2 }]);
    expect(reports).toEqual([13]);
    for (let time = 0; time < 2; time++) expect(await session.getItems()).toEqual([{ n: 1 }, { n: 2 }]);
    expect(reports).toEqual([13, 11]);
  });

  it.each(DAMAGED)('%j is removed by no change but a clear', async (damaged) => {
    const before = [...texts(1), JSON.stringify(call), damaged];
    const stored = new StoredTexts(before);
    const session = new TextSession(stored);
    const replace = (expectedSuffix: { n: number }[]) =>
      session.applyHistoryTransaction({
        operationId: `o-${expectedSuffix.length}`,
        transaction: { type: 'replace_suffix', expectedSuffix, replacement: [] },
      });
    await expect(session.popItem()).rejects.toThrow(refusal());
    await expect(session.replaceHistoryWithCompaction([{ n: 2 }])).rejects.toThrow(refusal());
    await expect(replace([{ n: 1 }])).rejects.toThrow(refusal());
    await expect(replace([{ n: 1 }, { n: 1 }])).rejects.toThrow(refusal());
    expect(stored.texts).toEqual(before);
    await session.clearSession();
    expect(stored.texts).toEqual([]);
  });

  it('stay where they are while other items are mutated', async () => {
    const stored = new StoredTexts([...texts(1), JSON.stringify(call), '{"n":', ...texts(2)]);
    await new TextSession(stored).applyHistoryMutations(replaceCall);
    expect(stored.texts).toEqual([...texts(1, 9), '{"n":', ...texts(2)]);
  });

  it.each([
    ['may be the call', '{"type":"function_call","callId":"c",'],
    ['would have to be written again and has no text left', ''],
  ])('refuse a mutation if one %s', async (_, damaged) => {
    const before = [JSON.stringify(call), damaged];
    const stored = new StoredTexts(before);
    await expect(new TextSession(stored).applyHistoryMutations(replaceCall)).rejects.toThrow(refusal());
    expect(stored.texts).toEqual(before);
  });

  it('are refused with the advice of the backend', async () => {
    const backend = Object.assign(new StoredTexts(['{']), { repair: 'ask an operator' });
    await expect(new TextSession(backend).popItem()).rejects.toThrow(refusal('ask an operator'));
  });
});

describe('what a backend does itself', () => {
  it('a pop is its own, and a change if it leaves it', async () => {
    const stored = new StoredTexts(texts(1, 2, 3));
    const pops = ['{"n":7}', null, undefined];
    const session = new TextSession(Object.assign(stored, { pop: async () => pops.shift() }));
    expect([await session.popItem(), await session.popItem(), await session.popItem()]).toEqual([
      { n: 7 },
      undefined,
      { n: 3 },
    ]);
    expect(stored.texts).toEqual(texts(1, 2));
  });

  it('mutations are told which items to read, and what becomes of each', async () => {
    const asked: unknown[] = [];
    const edit: SessionBackend['edit'] = (needles, decide) => {
      asked.push(needles, decide([JSON.stringify(call), '{"n":"c"}', JSON.stringify(call)]));
    };
    await new TextSession(Object.assign(new StoredTexts([]), { edit })).applyHistoryMutations(replaceCall);
    expect(asked).toEqual([['"c"'], ['{"n":9}', '{"n":"c"}', undefined]]);
  });
});
