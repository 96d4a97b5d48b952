import { InMemoryStore } from '@keepsake/in-memory';
import { type CheckpointTuple, emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { KeepsakeSaver } from '../src/index.ts';
import { CallerError, fail, throwing, throwingProxy } from './support/strange-values.ts';

const META = { source: 'loop' as const, step: 0, parents: {} };
const inThread = (thread_id: unknown, more: object = {}) => ({ configurable: { thread_id, ...more } }) as never;

/** Two threads with a checkpoint and a write each. */
async function filled() {
  const records = new InMemoryStore({ name: 'memory' });
  const saver = new KeepsakeSaver({ store: records });
  for (const thread of ['a', 'b']) {
    const checkpoint = { ...emptyCheckpoint(), channel_values: { n: thread }, channel_versions: { n: 1 } };
    const config = await saver.put(inThread(thread), checkpoint, META, { n: 1 });
    await saver.putWrites(config, [['n', thread]], 'task');
  }
  const all = async () => (await records.list({ descendants: true, order: 'oldest' })).items;
  return { saver, before: await all(), all };
}

async function collect(tuples: AsyncIterable<CheckpointTuple>): Promise<CheckpointTuple[]> {
  const found: CheckpointTuple[] = [];
  for await (const tuple of tuples) found.push(tuple);
  return found;
}

const A = inThread('a', { checkpoint_id: 'c' });
const checkpoint = (fields: object) => ({ ...emptyCheckpoint(), ...fields }) as never;

type Call = (saver: KeepsakeSaver) => Promise<unknown>;

const MALFORMED: readonly (readonly [title: string, words: string, call: Call])[] = [
  // Configs. One that is malformed must not look like one that names no thread: `list` would return all threads.
  ['a config that is a text', '`config` must be an object', (saver) => saver.getTuple('a' as never)],
  ['a list with a config that is a text', '`config` must be an object', (saver) => collect(saver.list('a' as never))],
  [
    'a list with a `configurable` that is a text',
    '`config.configurable` must be an object',
    (saver) => collect(saver.list({ configurable: 'a' } as never)),
  ],
  ['a config that throws', '`config` throws an error', (saver) => saver.getTuple(throwingProxy({}))],
  [
    'a thread that throws',
    '`config` throws an error',
    (saver) => saver.getTuple({ configurable: throwing({}, 'thread_id') }),
  ],
  [
    'a thread that is null',
    '`config.configurable.thread_id` must be a string',
    (saver) => saver.getTuple(inThread(null)),
  ],
  [
    'a list in a namespace that is a number, of all threads',
    '`config.configurable.checkpoint_ns` must be a string',
    (saver) => collect(saver.list({ configurable: { checkpoint_ns: 5 } })),
  ],
  [
    'a checkpoint id that is an object',
    '`config.configurable.checkpoint_id` must be a string',
    (saver) => saver.getTuple(inThread('a', { checkpoint_id: {} })),
  ],
  [
    'a former checkpoint id that is a number',
    '`config.configurable.thread_ts` must be a string',
    (saver) => saver.getTuple(inThread('a', { thread_ts: 7 })),
  ],
  // Options of a list.
  ['a limit that is NaN', '`limit` must be a whole number', (saver) => collect(saver.list(A, { limit: Number.NaN }))],
  ['a limit that is a text', '`limit` must be a whole', (saver) => collect(saver.list(A, { limit: '1' as never }))],
  [
    'a filter that is a text',
    '`filter` must be an object',
    (saver) => collect(saver.list(A, { filter: 'x' as never })),
  ],
  [
    'a filter that throws',
    '`filter` throws an error',
    (saver) => collect(saver.list(inThread('a'), { filter: { parents: throwingProxy({}) } })),
  ],
  ['options that are a number', 'The options must be an object', (saver) => collect(saver.list(A, 7 as never))],
  ['an unknown option', 'Did you mean `filter`?', (saver) => collect(saver.list(A, { filters: {} } as never))],
  [
    'a `before` that is a text',
    '`before` must be an object',
    (saver) => collect(saver.list(A, { before: 'c' as never })),
  ],
  [
    'a `before` with a number',
    '`before.configurable.checkpoint_id` must be a string',
    (saver) => collect(saver.list(A, { before: inThread('a', { checkpoint_id: 1 }) })),
  ],
  // Checkpoints. Whatever could not be read again is refused.
  ['a checkpoint that is null', '`checkpoint` must be an object', (saver) => saver.put(A, null as never, META, {})],
  [
    'a checkpoint that throws',
    '`checkpoint` throws',
    (saver) => saver.put(A, throwing(checkpoint({}), 'ts'), META, {}),
  ],
  ['a checkpoint without an id', '`checkpoint.id` must be a string', (saver) => saver.put(A, {} as never, META, {})],
  [
    'channel values that are null',
    '`checkpoint.channel_values` must be an object',
    (saver) => saver.put(A, checkpoint({ channel_values: null }), META, {}),
  ],
  [
    'channel versions that are missing',
    '`checkpoint.channel_versions` must be an object',
    (saver) => saver.put(A, checkpoint({ channel_versions: undefined }), META, {}),
  ],
  [
    'a channel version that is an object',
    'Each field of `checkpoint.channel_versions` must be the version',
    (saver) => saver.put(A, checkpoint({ channel_versions: { n: {} } }), META, {}),
  ],
  [
    'new versions that are null',
    '`newVersions` must be an object',
    (saver) => saver.put(A, checkpoint({}), META, null as never),
  ],
  [
    'a new version that is a bigint',
    'Each field of `newVersions` must be the version',
    (saver) => saver.put(A, checkpoint({ channel_values: { n: 1 } }), META, { n: 1n as never }),
  ],
  [
    'metadata that are null',
    '`metadata` must be an object',
    (saver) => saver.put(A, checkpoint({}), null as never, {}),
  ],
  [
    'metadata that are a list',
    '`metadata` must be an object',
    (saver) => saver.put(A, checkpoint({}), [] as never, {}),
  ],
  [
    'a value that is no JSON',
    'can\'t write the value of the channel "n"',
    (saver) => saver.put(A, checkpoint({ channel_values: { n: 1n } }), META, { n: 1 }),
  ],
  [
    'metadata that throw when they are written',
    "can't write the metadata",
    (saver) => saver.put(A, checkpoint({}), { ...META, parents: throwing({}, 'a') }, {}),
  ],
  // Writes.
  ['writes that are null', '`writes` must be an array', (saver) => saver.putWrites(A, null as never, 'task')],
  [
    'a write that is null',
    '`writes[1]` must be an array',
    (saver) => saver.putWrites(A, [['n', 1], null] as never, 'task'),
  ],
  [
    'a write that throws',
    '`writes[0]` throws',
    (saver) => saver.putWrites(A, [throwing(['n', 1], 1)] as never, 'task'),
  ],
  [
    'a channel that is a number',
    '`writes[0][0]` must be the name of a channel',
    (saver) => saver.putWrites(A, [[1, 1]] as never, 'task'),
  ],
  ['a task without an id', '`taskId` must be a string', (saver) => saver.putWrites(A, [['n', 1]], undefined as never)],
  [
    'a path that is null',
    '`taskPath` must be a string',
    (saver) => saver.putWrites(A, [['n', 1]], 'task', null as never),
  ],
  [
    'a write that can not be written',
    'can\'t write the write to the channel "n"',
    (saver) =>
      saver.putWrites(
        A,
        [
          ['m', 1],
          ['n', 1n],
        ],
        'task',
      ),
  ],
  // Threads.
  [
    'a thread to delete that is a symbol',
    '`threadId` must be a string',
    (saver) => saver.deleteThread(Symbol() as never),
  ],
  ['a thread to delete that is null', '`threadId` must be a string', (saver) => saver.deleteThread(null as never)],
  [
    'a history without options',
    '`options` must be an object',
    (saver) => saver.getDeltaChannelHistory(undefined as never),
  ],
  [
    'a history of a channel that is a number',
    '`channels[0]` must be the name of a channel',
    (saver) => saver.getDeltaChannelHistory({ config: A, channels: [1 as never] }),
  ],
];

describe('KeepsakeSaver refuses', () => {
  it.each(MALFORMED)('%s, and stores nothing', async (_, words, call) => {
    const { saver, before, all } = await filled();
    await expect(call(saver)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(words),
    });
    expect(await all()).toEqual(before);
    expect(await collect(saver.list(inThread('a')))).toHaveLength(1);
  });

  it('what throws with that error as the cause', async () => {
    const { saver } = await filled();
    const serde = { dumpsTyped: async () => fail(), loadsTyped: async () => undefined };
    const failing = new KeepsakeSaver({ store: new InMemoryStore({ name: 'memory' }), serde });
    for (const failure of [
      saver.getTuple(throwing({}, 'configurable')),
      failing.put(A, checkpoint({}), META, {}),
      failing.putWrites(A, [['n', 1]], 'task'),
    ]) {
      await expect(failure).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', cause: expect.any(CallerError) });
    }
  });
});

describe('KeepsakeSaver', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'keeps the values and the writes of a channel called %s',
    async (channel) => {
      const { saver } = await filled();
      const values = Object.fromEntries([[channel, ['value']]]);
      const versions = Object.fromEntries([[channel, 1]]);
      const config = await saver.put(
        inThread('t'),
        checkpoint({ channel_values: values, channel_versions: versions }),
        META,
        versions,
      );
      await saver.putWrites(
        config,
        [
          ['n', 0],
          [channel, 1],
        ],
        'task',
      );
      const tuple = await saver.getTuple(config);
      expect(tuple?.checkpoint.channel_values).toEqual(values);
      expect(tuple?.pendingWrites).toEqual([
        ['task', 'n', 0],
        ['task', channel, 1],
      ]);
      // A channel that neither has a version nor is new.
      const next = await saver.put(config, checkpoint({ channel_values: values }), META, {});
      expect((await saver.getTuple(next))?.checkpoint.channel_values).toEqual({});
    },
  );

  it('stores what the arguments were when it was called', async () => {
    const { saver } = await filled();
    const config = { configurable: { thread_id: 't' } };
    const writes: [string, unknown][] = [['n', 1]];
    const put = saver.put(config, checkpoint({ id: 'c', channel_versions: { n: 1 } }), META, {});
    config.configurable.thread_id = 'other';
    const writing = saver.putWrites(inThread('t', { checkpoint_id: 'c' }), writes, 'task');
    writes.push(['n', 2]);
    await Promise.all([put, writing]);
    expect((await saver.getTuple(inThread('t')))?.pendingWrites).toEqual([['task', 'n', 1]]);
    expect(await saver.getTuple(inThread('other'))).toBeUndefined();
  });

  it('lists with the options of LangGraph that are null or endless', async () => {
    const { saver } = await filled();
    expect(await collect(saver.list(inThread('a'), null as never))).toHaveLength(1);
    expect(await collect(saver.list(inThread('a'), { limit: Infinity }))).toHaveLength(1);
    expect(await collect(saver.list({}, { limit: 1 }))).toHaveLength(1);
    expect(await collect(saver.list({}, { limit: 0 }))).toEqual([]);
  });
});
