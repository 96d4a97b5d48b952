import { MemoryError } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { settling } from '../../src/record-store/harness.ts';
import { heldIds, listAll, refuses, SECRET, throwsAtOnce } from '../../src/record-store/helpers.ts';
import { ALL, NONE } from './reference.ts';
import { referenceHarness } from './reference-harness.ts';

describe('a refusal', () => {
  const rejects = (error: unknown) => refuses('CONFLICT', () => Promise.reject(error));

  it('passes with the code and a message', async () => {
    await rejects(new MemoryError('CONFLICT', 'Read it again.'));
  });

  it.each([
    ['is none', () => refuses('CONFLICT', async () => 'done')],
    ['has another code', () => rejects(new MemoryError('BACKEND', 'It failed.'))],
    ['is no MemoryError', () => rejects(new Error('It failed.'))],
    ['says nothing', () => rejects(new MemoryError('CONFLICT', ' '))],
    ['tells what is stored', () => rejects(new MemoryError('CONFLICT', `It is ${SECRET} now.`))],
    ['is thrown rather than rejected', () => refuses('CONFLICT', () => throwConflict())],
  ])('fails where it %s', async (_, run) => {
    await expect(run()).rejects.toThrow();
  });

  it('is told from a throw at once', () => {
    throwsAtOnce('CONFLICT', throwConflict);
    expect(() => throwsAtOnce('CONFLICT', () => undefined)).toThrow();
    expect(() => throwsAtOnce('BACKEND', throwConflict)).toThrow();
  });
});

function throwConflict(): never {
  throw new MemoryError('CONFLICT', 'Read it again.');
}

describe('the helpers of the record store kit', () => {
  it('give up on a list without end', async () => {
    const endless = referenceHarness({ override: () => ({ list: async () => ({ items: [], cursor: 'again' }) }) });
    await expect(listAll(endless.open())).rejects.toThrow(/did not end/);
  });

  it('see what a store holds, whether it can list or not', async () => {
    for (const capabilities of [ALL, NONE]) {
      const store = referenceHarness({ capabilities }).open();
      await store.putMany(['b', 'a'].map((id) => ({ id, content: 'heron' })));
      expect(await heldIds(store, capabilities)).toEqual(['a', 'b']);
    }
  });

  it('settle after each write, also below, and not after reads', async () => {
    let settled = 0;
    const harness = settling({ ...referenceHarness(), settle: async () => void settled++ });
    const store = harness.open();
    await store.put({ id: 'one', content: 'heron' });
    await store.within(['a']).within(['b']).add('heron');
    await store.get('one');
    await store.search('heron');
    expect(settled).toBe(2);
    await expect(store.put({ content: '' })).rejects.toThrow();
    expect(settled).toBe(2);
    expect(store.namespace).toEqual([]);
  });
});
