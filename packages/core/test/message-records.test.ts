import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type AddMessagesContext,
  contentId,
  type MemoryRecord,
  type Message,
  MessageRecorder,
  type PreparedRecord,
  prepareRecords,
  type RecordInput,
} from '../src/index.ts';
import { memoryError } from './support/memory-error.ts';

/** What a recorder needs of a store. As with a real one, others get their turn before it answers. */
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

  /** What was said in a conversation, in order. */
  thread(thread: string): string[] {
    const turns = [...this.byId.values()].filter(({ turn }) => turn?.thread === thread);
    return turns.sort((a, b) => (a.turn?.index ?? 0) - (b.turn?.index ?? 0)).map(({ content }) => content);
  }

  get contents(): string[] {
    return [...this.byId.values()].map(({ content }) => content).sort();
  }

  #put({ id = 'missing', content, metadata, turn }: PreparedRecord): MemoryRecord {
    const time = '2026-11-21T08:00:00.000Z';
    const version = (this.byId.get(id)?.version ?? 0) + 1;
    const record = { id, content, metadata, version, createdAt: time, updatedAt: time, ...(turn && { turn }) };
    this.byId.set(id, record);
    return record;
  }
}

const said = (...texts: string[]): Message[] =>
  texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));

describe('contentId', () => {
  it('is the same for the same text alone', async () => {
    expect(await contentId('Likes tea')).toBe(await contentId('Likes tea'));
    expect(await contentId('Likes tea')).toMatch(/^content-[0-9a-f]{64}$/);
    const ids = await Promise.all(
      ['Likes tea', 'likes tea', 'Likes tea ', '\ud800', '\ud801', '\ufffd'].map(contentId),
    );
    expect(new Set(ids).size).toBe(6);
  });
});

describe('MessageRecorder', () => {
  it('writes one record a message that says something, with its turn', async () => {
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

  it('writes a retry over itself, also from another recorder, where the run has a name', async () => {
    const store = new Records();
    const context = { sequenceNumbers: [0, 1], runId: 'run-1' };
    await new MessageRecorder().add(store, said('Hello', 'Hi'), context);
    await new MessageRecorder().add(store, said('Hello', 'Hi'), context);
    expect(store.contents).toEqual(['Hello', 'Hi']);
    expect(store.thread('run-1')).toEqual(['Hello', 'Hi']);
  });

  it('keeps runs and numbers apart, however their names run into each other', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    await recorder.add(store, said('a'), { sequenceNumbers: [11], runId: 'run' });
    await recorder.add(store, said('a'), { sequenceNumbers: [1], runId: 'run1' });
    await recorder.add(store, said('a'), { sequenceNumbers: [1], runId: 'run,1' });
    expect(store.byId.size).toBe(3);
  });

  it('adds anew each time without sequence numbers', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const [first] = await recorder.add(store, said('Hello'), undefined);
    const [second] = await recorder.add(store, said('Hello'), undefined);
    expect(store.contents).toEqual(['Hello', 'Hello']);
    expect(first?.turn?.thread).not.toBe(second?.turn?.thread);
  });

  it('takes a retry for one where the run has no name', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const [first] = await recorder.add(store, said('Hello', 'Hi'), { sequenceNumbers: [0, 1] });
    await recorder.add(store, said('Hello', 'Hi'), { sequenceNumbers: [0, 1] });
    // Half of it again, and what comes next.
    await recorder.add(store, [{ role: 'assistant', content: 'Hi' }, ...said('Bye')], { sequenceNumbers: [1, 2] });
    expect(store.thread(first?.turn?.thread as string)).toEqual(['Hello', 'Hi', 'Bye']);
    expect(store.byId.size).toBe(3);
  });

  it('retries what the store has refused', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    store.broken = true;
    await expect(recorder.add(store, said('Hello'), { sequenceNumbers: [0] })).rejects.toThrow('The link broke.');
    await recorder.add(store, said('Hello'), { sequenceNumbers: [0] });
    await recorder.add(store, said('Hello'), { sequenceNumbers: [0] });
    expect(store.contents).toEqual(['Hello']);
  });

  it('knows a new run by numbers that come back with other words', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const [first] = await recorder.add(store, said('Hello', 'Hi'), { sequenceNumbers: [0, 1] });
    const [second] = await recorder.add(store, said('Good evening', 'Hi'), { sequenceNumbers: [0, 1] });
    await recorder.add(store, said('Bye'), { sequenceNumbers: [2] });
    expect(second?.turn?.thread).not.toBe(first?.turn?.thread);
    expect(store.thread(first?.turn?.thread as string)).toEqual(['Hello', 'Hi']);
    expect(store.thread(second?.turn?.thread as string)).toEqual(['Good evening', 'Hi', 'Bye']);
  });

  it('knows a new run by another speaker or another conversation too', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    await recorder.add(store, said('Hello'), { sequenceNumbers: [0], thread: 'morning' });
    await recorder.add(store, said('Hello'), { sequenceNumbers: [0], thread: 'evening' });
    await recorder.add(store, [{ role: 'assistant', content: 'Hello' }], { sequenceNumbers: [0], thread: 'evening' });
    expect(store.thread('morning')).toEqual(['Hello']);
    expect(store.thread('evening')).toEqual(['Hello', 'Hello']);
  });

  it('loses nothing of two runs that speak at once', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const add = (name: string, from: number) =>
      recorder.add(store, said(`${name}${from}`, `${name}${from + 1}`), { sequenceNumbers: [from, from + 1] });
    await Promise.all([add('a', 0), add('b', 0), add('a', 2), add('b', 2), add('b', 4), add('a', 4)]);
    expect(store.contents).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b0', 'b1', 'b2', 'b3', 'b4', 'b5']);
  });

  it('goes on after a write that failed among others', async () => {
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

  it('reads the messages before it waits', async () => {
    const store = new Records();
    const recorder = new MessageRecorder();
    const messages = said('Hello');
    const sequenceNumbers = [0];
    const added = recorder.add(store, messages, { sequenceNumbers });
    messages[0] = { role: 'user', content: 'Something else' };
    sequenceNumbers[0] = 7;
    expect((await added)[0]).toMatchObject({ content: 'Hello', turn: { index: 0 } });
  });

  it('writes nothing where nothing is said', async () => {
    const store = new Records();
    expect(await new MessageRecorder().add(store, [], { sequenceNumbers: [] })).toEqual([]);
    expect(await new MessageRecorder().add(store, said(' '), undefined)).toEqual([]);
    expect(store.byId.size).toBe(0);
  });

  const words = (index: number) =>
    `messages[${index}] is to be { role, content } with a role of user, assistant, system, tool.`;
  const numbers = 'sequenceNumbers is to hold one whole number of 0 or more for each message, rising.';
  const unnamed = 'runId and thread need sequenceNumbers, one a message, to tell a retry from new messages.';

  it.each<[string, unknown, unknown, string]>([
    ['messages that are no list', 'Hello', undefined, 'messages is to be an array.'],
    ['an unknown role', [...said('a'), { role: 'developer', content: 'x' }], undefined, words(1)],
    ['a message without content', [{ role: 'user' }], undefined, words(0)],
    ['null for a message', [null], undefined, words(0)],
    ['content of another type', [{ role: 'user', content: { text: 'x' } }], undefined, words(0)],
    [
      'text among the blocks',
      [{ role: 'user', content: ['x'] }],
      undefined,
      'messages[0].content is to be text, or blocks that are objects.',
    ],
    [
      'null among the blocks',
      [{ role: 'user', content: [{ text: 'x' }, null] }],
      undefined,
      'messages[0].content is to be text, or blocks that are objects.',
    ],
    ['a run without numbers', said('a'), { runId: 'r' }, unnamed],
    ['a thread without numbers', said('a'), { thread: 't' }, unnamed],
    ['too few numbers', said('a', 'b'), { sequenceNumbers: [0] }, numbers],
    ['too many numbers', said('a'), { sequenceNumbers: [0, 1] }, numbers],
    ['a number twice', said('a', 'b'), { sequenceNumbers: [1, 1] }, numbers],
    ['falling numbers', said('a', 'b'), { sequenceNumbers: [1, 0] }, numbers],
    ['negative numbers', said('a'), { sequenceNumbers: [-1] }, numbers],
    ['broken numbers', said('a'), { sequenceNumbers: [0.5] }, numbers],
    ['numbers that are no list', said('a'), { sequenceNumbers: 1 }, numbers],
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
