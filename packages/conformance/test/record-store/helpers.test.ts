import { MemoryError } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { settling } from '../../src/record-store/harness.ts';
import { heldIds, listAll, refuses, SECRET, throwsAtOnce } from '../../src/record-store/helpers.ts';
import { ALL, NONE } from './reference.ts';
import { referenceHarness } from './reference-harness.ts';

describe('the assertions of the record store kit', () => {
  const rejects = (error: unknown) => refuses('CONFLICT', () => Promise.reject(error));

  it('refuses passes for a rejection with the code and a message', async () => {
    await rejects(new MemoryError('CONFLICT', 'Read it again.'));
  });

  it.each([
    ['the call succeeds', () => refuses('CONFLICT', async () => 'done')],
    ['the error has another code', () => rejects(new MemoryError('BACKEND', 'It failed.'))],
    ['the error is not a MemoryError', () => rejects(new Error('It failed.'))],
    ['the message is blank', () => rejects(new MemoryError('CONFLICT', ' '))],
    ['the message contains stored content', () => rejects(new MemoryError('CONFLICT', `It is ${SECRET} now.`))],
    ['the call throws instead of rejecting', () => refuses('CONFLICT', () => throwConflict())],
  ])('refuses fails if %s', async (_, run) => {
    await expect(run()).rejects.toThrow();
  });

  it('throwsAtOnce passes only for a synchronous throw with the code', () => {
    throwsAtOnce('CONFLICT', throwConflict);
    expect(() => throwsAtOnce('CONFLICT', () => undefined)).toThrow();
    expect(() => throwsAtOnce('BACKEND', throwConflict)).toThrow();
  });
});

function throwConflict(): never {
  throw new MemoryError('CONFLICT', 'Read it again.');
}

describe('the helpers of the record store kit', () => {
  it('give up on an endless list', async () => {
    const endless = referenceHarness({ override: () => ({ list: async () => ({ items: [], cursor: 'again' }) }) });
    await expect(listAll(endless.open())).rejects.toThrow(/did not end/);
  });

  it('find the ids of all records, with or without enumeration', async () => {
    for (const capabilities of [ALL, NONE]) {
      const store = referenceHarness({ capabilities }).open();
      await store.putMany(['b', 'a'].map((id) => ({ id, content: 'heron' })));
      expect(await heldIds(store, capabilities)).toEqual(['a', 'b']);
    }
  });

  it('settle after each successful write in any namespace, and not after reads', async () => {
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
