import { setImmediate } from 'node:timers/promises';
import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { contentId, MessageRecorder, type PreparedRecord, prepareRecords } from '../src/adapter.ts';
import type { AddMessagesContext, MemoryRecord, Message, RecordInput } from '../src/index.ts';

/** The part of a store that a recorder needs. Like a real one, it answers asynchronously. */
class Records {
  readonly byId = new Map<string, MemoryRecord>();
  /** Fails the next write. */
  broken = false;

  async get(id: string): Promise<MemoryRecord | undefined> {
    await setImmediate();
    return this.byId.get(id);
  }

  async putMany(inputs: readonly RecordInput[]): Promise<MemoryRecord[]> {
    await setImmediate();
    if (this.broken) {
      this.broken = false;
      throw new Error('The link broke.');
    }
    return prepareRecords(inputs).map((input) => this.#put(input));
  }

  /** The texts of a conversation, in order. */
  thread(thread: string): string[] {
    const turns = [...this.byId.values()].filter(({ turn }) => turn?.thread === thread);
    return turns.sort((a, b) => (a.turn?.index ?? 0) - (b.turn?.index ?? 0)).map(({ content }) => content);
  }

  get contents(): string[] {
    return [...this.byId.values()].map(({ content }) => content).sort();
  }

  #put({ id = 'missing', content, metadata, turn, index }: PreparedRecord): MemoryRecord {
    const time = '2026-11-21T08:00:00.000Z';
    const version = (this.byId.get(id)?.version ?? 0) + 1;
    const record = { id, content, metadata, version, createdAt: time, updatedAt: time, index, ...(turn && { turn }) };
    this.byId.set(id, record);
    return record;
  }
}

const said = (...texts: string[]): Message[] =>
  texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));

describe('contentId', () => {
  it('is the same for the same text only', async () => {
    expect(await contentId('Likes tea')).toBe(await contentId('Likes tea'));
    expect(await contentId('Likes tea')).toMatch(/^content-[0-9a-f]{64}$/);
    const ids = await Promise.all(
      ['Likes tea', 'likes tea', 'Likes tea ', '\ud800', '\ud801', '\ufffd'].map(contentId),
    );
    expect(new Set(ids).size).toBe(6);
  });
});

describe('MessageRecorder', () => {
  it('writes one record per message with text, with its turn', async () => {
    const store = new Records();
    const messages: Message[] = [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: [{ toolUse: { name: 'weather', toolUseId: 't1', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [] } }] },
      { role: 'assistant', content: [{ text: 'It' }, { text: 'rains.' }] },
      { role: 'user', content: ' \n' },
    ];
    const context = { sequenceNumbers: [3, 4, 5, 6, 9], runId: 'run-1', thread: 'standup' };
    const records = await new MessageRecorder().add(store, messages, context);
    expect(records.map(({ content, turn, metadata }) => ({ content, turn, metadata }))).toEqual([
      { content: 'Weather?', turn: { thread: 'standup', index: 3, speaker: 'user' }, metadata: { role: 'user' } },
      {
        content: 'It\nrains.',
        turn: { thread: 'standup', index: 6, speaker: 'assistant' },
        metadata: { role: 'assistant' },
      },
    ]);
    expect(records.every(({ id }) => /^message-[0-9a-f]{64}$/.test(id))).toBe(true);
  });

  it('writes a retry of a run with an id only once, even through another recorder', async () => {
    const store = new Records();
    const context = { sequenceNumbers: [0, 1], runId: 'run-1' };
    await new MessageRecorder().add(store, said('Hello', 'Hi'), context);
    await new MessageRecorder().add(store, said('Hello', 'Hi'), context);
    expect(store.contents).toEqual(['Hello', 'Hi']);
    expect(store.thread('run-1')).toEqual(['Hello', 'Hi']);
  });

  it('distinguishes runs and numbers whose joined names are equal', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    await recorder.add(store, said('a'), { sequenceNumbers: [11], runId: 'run' });
    await recorder.add(store, said('a'), { sequenceNumbers: [1], runId: 'run1' });
    await recorder.add(store, said('a'), { sequenceNumbers: [1], runId: 'run,1' });
    expect(store.byId.size).toBe(3);
  });

  it('adds the messages again at each call without sequence numbers', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const [first] = await recorder.add(store, said('Hello'), undefined);
    const [second] = await recorder.add(store, said('Hello'), undefined);
    expect(store.contents).toEqual(['Hello', 'Hello']);
    expect(first?.turn?.thread).not.toBe(second?.turn?.thread);
  });

  it('recognises a retry of a run without an id', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const [first] = await recorder.add(store, said('Hello', 'Hi'), { sequenceNumbers: [0, 1] });
    await recorder.add(store, said('Hello', 'Hi'), { sequenceNumbers: [0, 1] });
    // Half of the batch again, and the next message.
    await recorder.add(store, [{ role: 'assistant', content: 'Hi' }, ...said('Bye')], { sequenceNumbers: [1, 2] });
    expect(store.thread(first?.turn?.thread as string)).toEqual(['Hello', 'Hi', 'Bye']);
    expect(store.byId.size).toBe(3);
  });

  it('can be retried after the store fails', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    store.broken = true;
    await expect(recorder.add(store, said('Hello'), { sequenceNumbers: [0] })).rejects.toThrow('The link broke.');
    await recorder.add(store, said('Hello'), { sequenceNumbers: [0] });
    await recorder.add(store, said('Hello'), { sequenceNumbers: [0] });
    expect(store.contents).toEqual(['Hello']);
  });

  it('recognises a new run by repeated numbers with other words', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const [first] = await recorder.add(store, said('Hello', 'Hi'), { sequenceNumbers: [0, 1] });
    const [second] = await recorder.add(store, said('Good evening', 'Hi'), { sequenceNumbers: [0, 1] });
    await recorder.add(store, said('Bye'), { sequenceNumbers: [2] });
    expect(second?.turn?.thread).not.toBe(first?.turn?.thread);
    expect(store.thread(first?.turn?.thread as string)).toEqual(['Hello', 'Hi']);
    expect(store.thread(second?.turn?.thread as string)).toEqual(['Good evening', 'Hi', 'Bye']);
  });

  it('recognises a new run by another speaker or conversation', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    await recorder.add(store, said('Hello'), { sequenceNumbers: [0], thread: 'morning' });
    await recorder.add(store, said('Hello'), { sequenceNumbers: [0], thread: 'evening' });
    await recorder.add(store, [{ role: 'assistant', content: 'Hello' }], { sequenceNumbers: [0], thread: 'evening' });
    expect(store.thread('morning')).toEqual(['Hello']);
    expect(store.thread('evening')).toEqual(['Hello', 'Hello']);
  });

  it('loses nothing of two concurrent runs', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const add = (name: string, from: number) =>
      recorder.add(store, said(`${name}${from}`, `${name}${from + 1}`), { sequenceNumbers: [from, from + 1] });
    await Promise.all([add('a', 0), add('b', 0), add('a', 2), add('b', 2), add('b', 4), add('a', 4)]);
    expect(store.contents).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b0', 'b1', 'b2', 'b3', 'b4', 'b5']);
  });

  it('continues after one of several concurrent writes fails', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    store.broken = true;
    const results = await Promise.allSettled([
      recorder.add(store, said('a'), { sequenceNumbers: [0] }),
      recorder.add(store, said('b'), { sequenceNumbers: [0] }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(store.contents).toEqual(['b']);
  });

  it('reads the messages before the first await', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const messages = said('Hello');
    const sequenceNumbers = [0];
    const added = recorder.add(store, messages, { sequenceNumbers });
    messages[0] = { role: 'user', content: 'Something else' };
    sequenceNumbers[0] = 7;
    expect((await added)[0]).toMatchObject({ content: 'Hello', turn: { index: 0 } });
  });

  it('writes nothing if no message has text', async () => {
    const store = new Records();
    expect(await new MessageRecorder().add(store, [], { sequenceNumbers: [] })).toEqual([]);
    expect(await new MessageRecorder().add(store, said(' '), undefined)).toEqual([]);
    expect(store.byId.size).toBe(0);
  });

  const words = (index: number) =>
    `messages[${index}] must be { role, content } with a role of user, assistant, system, tool.`;
  const numbers = '`sequenceNumbers` must have one whole number ≥ 0 per message, increasing.';
  const unnamed = '`runId` and `thread` need `sequenceNumbers`, one per message, to tell a retry from new messages.';

  it.each<[string, unknown, unknown, string]>([
    ['messages that are not an array', 'Hello', undefined, 'messages must be an array.'],
    ['an unknown role', [...said('a'), { role: 'developer', content: 'x' }], undefined, words(1)],
    ['a message without content', [{ role: 'user' }], undefined, words(0)],
    ['null as a message', [null], undefined, words(0)],
    ['content of another type', [{ role: 'user', content: { text: 'x' } }], undefined, words(0)],
    [
      'a string among the blocks',
      [{ role: 'user', content: ['x'] }],
      undefined,
      'messages[0].content must be a string or an array of blocks.',
    ],
    [
      'null among the blocks',
      [{ role: 'user', content: [{ text: 'x' }, null] }],
      undefined,
      'messages[0].content must be a string or an array of blocks.',
    ],
    ['a run without numbers', said('a'), { runId: 'r' }, unnamed],
    ['a thread without numbers', said('a'), { thread: 't' }, unnamed],
    ['too few numbers', said('a', 'b'), { sequenceNumbers: [0] }, numbers],
    ['too many numbers', said('a'), { sequenceNumbers: [0, 1] }, numbers],
    ['a repeated number', said('a', 'b'), { sequenceNumbers: [1, 1] }, numbers],
    ['decreasing numbers', said('a', 'b'), { sequenceNumbers: [1, 0] }, numbers],
    ['negative numbers', said('a'), { sequenceNumbers: [-1] }, numbers],
    ['fractional numbers', said('a'), { sequenceNumbers: [0.5] }, numbers],
    ['numbers that are not an array', said('a'), { sequenceNumbers: 1 }, numbers],
    ['an empty runId', said('a'), { sequenceNumbers: [0], runId: '' }, 'runId is empty.'],
    [
      'an overlong thread',
      said('a'),
      { sequenceNumbers: [0], thread: 'x'.repeat(513) },
      'thread is longer than 512 characters.',
    ],
  ])('refuses %s, and writes nothing', async (_name, messages, context, message) => {
    const store = new Records();
    const added = new MessageRecorder().add(store, messages as Message[], context as AddMessagesContext);
    await expect(added).rejects.toThrow(memoryError('INVALID_ARGUMENT', message));
    expect(store.byId.size).toBe(0);
  });
});
