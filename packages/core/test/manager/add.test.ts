import { getEventListeners } from 'node:events';
import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { MemoryError, MemoryManager } from '../../src/index.ts';
import { listStore } from '../support/memory-stores.ts';

const readOnly = () => listStore('archive', [], { writable: false });
function messagesOnly() {
  const { add: _, ...store } = listStore('chats');
  return { ...store, addMessages: async () => {} };
}
const failing = (name: string, error: Error) =>
  listStore(name, [], {
    add: () => {
      throw error;
    },
  });

describe('add', () => {
  it('writes to every store with add(), and returns the result of each', async () => {
    const [a, b] = [listStore('a'), listStore('b')];
    const memory = new MemoryManager({ stores: [a, readOnly(), messagesOnly(), b] });
    expect(await memory.add('Likes tea', { metadata: { topic: 'drinks' } })).toEqual([
      { storeName: 'a', result: 'a: Likes tea' },
      { storeName: 'b', result: 'b: Likes tea' },
    ]);
    expect(a.adds).toEqual([{ content: 'Likes tea', metadata: { topic: 'drinks' } }]);
  });

  it('writes to the named stores, and to none for an empty list', async () => {
    const [a, b] = [listStore('a'), listStore('b')];
    const memory = new MemoryManager({ stores: [a, b] });
    await memory.add('Likes tea', { stores: ['b'] });
    expect(await memory.add('Likes tea', { stores: [] })).toEqual([]);
    expect([a.adds, b.adds]).toEqual([[], [{ content: 'Likes tea', metadata: undefined }]]);
  });

  it.each([
    ['an unknown store', ['a', 'nope'], 'INVALID_ARGUMENT', /"nope".*There are: "a", "archive", "chats"/],
    ['a read-only store', ['a', 'archive'], 'READ_ONLY', /"archive".*: "a"\./],
    ['a store without add()', ['a', 'chats'], 'UNSUPPORTED', /"chats".*: "a"\./],
  ] as const)('writes nothing if one of the stores is %s', async (_, stores, code, message) => {
    const a = listStore('a');
    const memory = new MemoryManager({ stores: [a, readOnly(), messagesOnly()] });
    await expect(memory.add('Likes tea', { stores })).rejects.toEqual(memoryError(code, message));
    expect(a.adds).toEqual([]);
  });

  it('refuses invalid content and metadata before it writes anything', async () => {
    const a = listStore('a');
    const memory = new MemoryManager({ stores: [a] });
    await expect(memory.add(' ')).rejects.toEqual(memoryError('INVALID_ARGUMENT', /^content/));
    await expect(memory.add('x'.repeat(2 ** 20 + 1))).rejects.toEqual(memoryError('TOO_LARGE', /^content/));
    const metadata = { at: new Date() } as never;
    await expect(memory.add('x', { metadata })).rejects.toEqual(
      memoryError('INVALID_ARGUMENT', /^metadata\.<field 1> is/),
    );
    await expect(new MemoryManager({ stores: [readOnly()] }).add('x')).rejects.toEqual(
      memoryError('READ_ONLY', /No store/),
    );
    expect(a.adds).toEqual([]);
  });

  it('reports which stores failed and which did not', async () => {
    const full = failing('full', new MemoryError('TOO_LARGE', 'Too large.'));
    const memory = new MemoryManager({ stores: [listStore('a'), failing('down', new TypeError('refused')), full] });
    const added = memory.add('Likes tea');
    await expect(added).rejects.toBeInstanceOf(AggregateError);
    await expect(added).rejects.toMatchObject({
      message:
        'Store "down" failed to add the text (TypeError). Store "full" failed to add the text (TOO_LARGE). Written to: "a".',
      errors: [memoryError('BACKEND', /"down"/), memoryError('TOO_LARGE', /"full"/)],
    });
    await expect(added).rejects.toMatchObject({
      errors: [{ cause: { message: 'refused' } }, { cause: { code: 'TOO_LARGE' } }],
    });
  });

  it('passes each store its own copy of the metadata', async () => {
    const greedy = listStore('greedy', [], {
      add: async (_, metadata) => {
        if (metadata) Object.assign(metadata, { topic: 'changed' });
      },
    });
    const after = listStore('after');
    const metadata = { topic: 'drinks' };
    await new MemoryManager({ stores: [greedy, after] }).add('Likes tea', { metadata });
    expect([metadata, after.adds[0]?.metadata]).toEqual([{ topic: 'drinks' }, { topic: 'drinks' }]);
  });
});

describe('aborting an add', () => {
  it('writes nothing if the signal is already aborted', async () => {
    const a = listStore('a');
    const added = new MemoryManager({ stores: [a] }).add('Likes tea', { signal: AbortSignal.abort() });
    await expect(added).rejects.toEqual(memoryError('ABORTED', /./));
    expect(a.adds).toEqual([]);
  });

  it('rejects at once, and reports the outcome of each store', async () => {
    const controller = new AbortController();
    const started = Promise.withResolvers<void>();
    const slow = listStore('slow', [], {
      add: () => {
        started.resolve();
        return new Promise(() => {});
      },
    });
    const memory = new MemoryManager({ stores: [listStore('fast'), slow] });
    const added = memory.add('Likes tea', { signal: controller.signal });
    await started.promise;
    await new Promise(setImmediate);
    controller.abort();
    await expect(added).rejects.toMatchObject({
      message: expect.stringMatching(/Written to: "fast"/),
      errors: [memoryError('OUTCOME_UNKNOWN', /"slow"/)],
    });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('gives up on a hanging store at the deadline, and reports its outcome as unknown', async () => {
    const hanging = listStore('hanging', [], { add: () => new Promise(() => {}) });
    const memory = new MemoryManager({
      stores: [listStore('fast'), hanging],
      search: { deadlineMs: 2 },
      addToolConfig: true,
    });
    const lost = memoryError('OUTCOME_UNKNOWN', /"hanging"/);
    await expect(memory.add('Likes tea')).rejects.toMatchObject({ errors: [lost] });
    const tool = memory.tools().find(({ name }) => name === 'add_memory');
    await expect(tool?.execute({ entries: ['Likes tea'] })).rejects.toThrow(/"hanging"/);
  });

  it('distinguishes a TIMEOUT of the store from its own deadline', async () => {
    const slow = listStore('slow', [], { add: () => Promise.reject(new MemoryError('TIMEOUT', 'Not now.')) });
    const added = new MemoryManager({ stores: [slow] }).add('Likes tea');
    await expect(added).rejects.toMatchObject({ errors: [memoryError('TIMEOUT', /"slow"/)] });
  });
});
