import { MemoryError, type RecordStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type ChannelVersions,
  type CheckpointMetadata,
  type CheckpointTuple,
  ERROR,
  emptyCheckpoint,
  RESUME,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeepsakeSaver } from '../src/index.ts';
import type { RunningBackend } from './backends/backend.ts';
import { BACKENDS } from './backends/backends.ts';

const META: CheckpointMetadata = { source: 'loop', step: 0, parents: {} };

/** How many lines of 100 kB the largest value has. 32 lines are more parts than are written at once. */
const HUGE_LINES = rounds(200, 32);

describe.each(BACKENDS)('KeepsakeSaver on $name', ({ start, partByDay }) => {
  /** Slow on servers, and only the store differs. */
  const many = partByDay ? { tags: ['nightly'] } : {};
  let running: RunningBackend;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running.stop());
  const openSaver = () => new KeepsakeSaver({ store: running.place().open() });

  it('a config that is null names no thread', async () => {
    const saver = openSaver();
    expect(await saver.getTuple(null as never)).toBeUndefined();
    await expect(saver.putWrites(null as never, [['a', 1]], 'task')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('keeps the values of forks apart that have the same channel versions', many, async () => {
    const saver = openSaver();
    const root = await put(saver, inThread('t'), { big: [large('root'), 1], small: ['root', 1] });
    const one = await put(saver, root, { big: [large('one'), 2], small: ['one', 2] });
    const other = await put(saver, root, { big: [large('other'), 2], small: ['other', 2] });
    const unchanged = { big: [undefined, 2], small: [undefined, 2] } as const;
    const leaves = [await put(saver, one, unchanged), await put(saver, other, unchanged)];
    const values = await Promise.all(
      leaves.map(async (leaf) => (await saver.getTuple(leaf))?.checkpoint.channel_values),
    );
    expect(values).toEqual([
      { big: large('one'), small: 'one' },
      { big: large('other'), small: 'other' },
    ]);
  });

  it('stores a value once that many later checkpoints carry along', async () => {
    const store = running.place().open();
    const saver = new KeepsakeSaver({ store });
    let config = await put(saver, inThread('t'), {
      documents: ['x'.repeat(50_000), 1],
      huge: ['y'.repeat(500_000), 1],
    });
    for (let step = 2; step < 12; step++) {
      config = await put(saver, config, { documents: [undefined, 1], huge: [undefined, 1], step: [step, step] });
    }
    expect((await saver.getTuple(inThread('t')))?.checkpoint.channel_values).toEqual({
      ...{ documents: 'x'.repeat(50_000), huge: 'y'.repeat(500_000), step: 11 },
    });
    expect(await sizeOf(store)).toBeLessThan(600_000);
  });

  it('reads nothing to put a checkpoint after its own', async () => {
    const calls: string[] = [];
    const saver = new KeepsakeSaver({ store: watched(running.place().open(), (name) => calls.push(name)) });
    const config = await put(saver, inThread('t'), { step: [1, 1] });
    calls.length = 0;
    await put(saver, config, { step: [2, 2] }, uuid6(1));
    expect(calls).toEqual(['putMany']);
  });

  it('stores every value if the thread was deleted while a graph runs', async () => {
    const saver = openSaver();
    const values = { messages: ['hello'], instructions: large('x'), step: 1 };
    const checkpoint = {
      ...emptyCheckpoint(),
      channel_values: values,
      channel_versions: { messages: 1, instructions: 1, step: 1 },
    };
    const first = await saver.put(inThread('t'), checkpoint, META, checkpoint.channel_versions);
    await saver.deleteThread('t');
    const next = { ...checkpoint, id: uuid6(1), channel_values: { ...values, step: 2 } };
    await saver.put(first, { ...next, channel_versions: { messages: 1, instructions: 1, step: 2 } }, META, { step: 2 });
    expect((await saver.getTuple(inThread('t')))?.checkpoint.channel_values).toEqual({ ...values, step: 2 });
  });

  it('takes the greatest id as the latest, in whichever order checkpoints arrive', async () => {
    const saver = openSaver();
    const ids = Array.from({ length: 6 }, (_, n) => uuid6(n));
    for (const id of [ids[3], ids[5], ids[0], ids[4], ids[1], ids[2]]) await put(saver, inThread('t'), {}, id);
    expect((await saver.getTuple(inThread('t')))?.checkpoint.id).toBe(ids[5]);
    expect((await all(saver.list(inThread('t')))).map(({ checkpoint }) => checkpoint.id)).toEqual(ids.toReversed());
  });

  it('takes the greatest id as the latest, whichever saver put it, and whatever another one did since', async () => {
    const store = running.place().open();
    const [saver, other] = [new KeepsakeSaver({ store }), new KeepsakeSaver({ store })];
    const ids = Array.from({ length: 6 }, (_, n) => uuid6(n));
    const latest = async () => (await new KeepsakeSaver({ store }).getTuple(inThread('t')))?.checkpoint.id;
    await put(saver, inThread('t'), {}, ids[0]);
    await put(other, inThread('t'), {}, ids[3]);
    // What the first saver remembers is earlier, and so is what it puts.
    await put(saver, inThread('t'), {}, ids[2]);
    expect(await latest()).toBe(ids[3]);
    await put(saver, inThread('t'), {}, ids[4]);
    expect(await latest()).toBe(ids[4]);
    await other.deleteThread('t');
    await put(saver, inThread('t'), {}, ids[1]);
    expect(await latest()).toBe(ids[1]);
    await other.deleteThread('t');
    await put(saver, inThread('t'), {}, ids[5]);
    expect(await latest()).toBe(ids[5]);
  });

  it('lists a thread with subgraphs by id, the latest first', async () => {
    const saver = openSaver();
    const places = ['', 'b', 'a', 'b', ''].map((ns) => inThread('t', ns));
    const ids: string[] = [];
    for (const [n, place] of places.entries()) {
      ids.push(uuid6(n));
      await put(saver, place, {}, ids.at(-1));
    }
    const listed = await all(saver.list({ configurable: { thread_id: 't' } }, { limit: 4 }));
    expect(listed.map(({ checkpoint }) => checkpoint.id)).toEqual(ids.toReversed().slice(0, 4));
  });

  it('takes the greatest id as the latest after 40 puts at once', many, async () => {
    const store = running.place().open();
    const ids = Array.from({ length: 40 }, (_, n) => uuid6(n));
    const shuffled = ids.map((_, n) => ids[(n * 7) % 40]);
    await Promise.all(shuffled.map((id) => put(new KeepsakeSaver({ store }), inThread('t'), {}, id)));
    expect((await new KeepsakeSaver({ store }).getTuple(inThread('t')))?.checkpoint.id).toBe(ids.at(-1));
  });

  it('keeps the writes of 60 tasks that finish at once, in the order in which a run applies them', async () => {
    const store = running.place().open();
    const [saver, other] = [new KeepsakeSaver({ store }), new KeepsakeSaver({ store })];
    const config = await put(saver, inThread('t'), {});
    const tasks = Array.from({ length: 60 }, (_, n) => ({ id: `task ${n}`, path: String(99 - n), size: n * 700 }));
    await Promise.all(
      tasks.map(({ id, path, size }, n) =>
        (n % 2 === 0 ? saver : other).putWrites(
          config,
          [
            ['a', 'x'.repeat(size)],
            ['b', n],
          ],
          id,
          path,
        ),
      ),
    );
    expect((await saver.getTuple(config))?.pendingWrites).toEqual(
      tasks.toReversed().flatMap(({ id, size }, n) => [
        [id, 'a', 'x'.repeat(size)],
        [id, 'b', 59 - n],
      ]),
    );
  });

  it('keeps the first writes of a task that runs again, and its last error', async () => {
    const saver = openSaver();
    const config = await put(saver, inThread('t'), {});
    await saver.putWrites(config, [['a', 1]], 'task');
    await saver.putWrites(
      config,
      [
        ['a', 2],
        ['b', 2],
      ],
      'task',
    );
    for (const message of ['one', 'two'])
      await saver.putWrites(
        config,
        [
          [ERROR, message],
          [RESUME, [message]],
        ],
        'task',
      );
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([
      ['task', RESUME, ['two']],
      ['task', ERROR, 'two'],
      ['task', 'a', 1],
      ['task', 'b', 2],
    ]);
  });

  it(`returns values of every kind as they were, of 0 bytes to ${HUGE_LINES / 10} MB`, async () => {
    const saver = openSaver();
    const values = {
      ...{
        empty: '',
        none: null,
        undefined,
        spaces: ' '.repeat(400_000),
        text: '\u0000\ud800 "\\ \u2028 😀'.repeat(30_000),
      },
      ...{
        bytes: new Uint8Array([0, 128, 255]),
        map: new Map([['a', new Set([1])]]),
        ['__proto__']: { polluted: true },
      },
      huge: Array.from({ length: HUGE_LINES }, (_, n) => String(n % 10).repeat(100_000)),
    };
    const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, 1]));
    const checkpoint = { ...emptyCheckpoint(), channel_values: values, channel_versions: versions };
    const config = await saver.put(inThread('t'), checkpoint, META, versions);
    await saver.putWrites(config, [['huge', values.huge]], 'task');
    const tuple = (await saver.getTuple(config)) as CheckpointTuple;
    expect(Object.keys(tuple.checkpoint.channel_values).sort()).toEqual(Object.keys(values).sort());
    expect(tuple.checkpoint.channel_values).toEqual(values);
    expect(tuple.pendingWrites).toEqual([['task', 'huge', values.huge]]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("returns a user's JSON that looks like LangChain's own records as it was", async () => {
    const saver = openSaver();
    const message = { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: {} };
    const unknown = { ...message, id: ['evil', 'Thing'] };
    const set = { lc: 2, type: 'constructor', id: ['Set'], method: null, args: [[1]], kwargs: {} };
    const mark = { __keepsake_plain__: [['a', 1]] };
    const all = [message, unknown, set, { lc: 2, type: 'undefined' }, { lc: 3 }, mark, { __lc_escaped__: message }];
    const values = {
      alone: unknown,
      nested: { all, again: { deep: [{ ...set, more: message }] } },
      held: new Map<unknown, unknown>([['a', new Set([message])]]),
      said: [
        new AIMessage({ content: 'Hi', tool_calls: [{ name: 'find', id: '1', args: { filter: unknown } }] }),
        new HumanMessage({ content: 'Ho', additional_kwargs: { sent: all } }),
      ],
    };
    const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, 1]));
    const checkpoint = { ...emptyCheckpoint(), channel_values: values, channel_versions: versions };
    const config = await saver.put(
      inThread('t'),
      checkpoint,
      { ...META, sent: message } as CheckpointMetadata,
      versions,
    );
    await saver.putWrites(config, [['alone', unknown]], 'task');
    const { checkpoint: read, metadata, pendingWrites } = (await saver.getTuple(config)) as CheckpointTuple;
    const { said, ...others } = read.channel_values as typeof values;
    expect(others).toEqual({ alone: values.alone, nested: values.nested, held: values.held });
    const [answer, question] = said as [AIMessage, HumanMessage];
    expect([answer.getType(), answer.content, answer.tool_calls?.[0]?.args]).toEqual(['ai', 'Hi', { filter: unknown }]);
    expect([question.getType(), question.additional_kwargs]).toEqual(['human', { sent: all }]);
    expect(metadata).toMatchObject({ sent: message });
    expect(pendingWrites).toEqual([['task', 'alone', unknown]]);
  });

  it('keeps threads and namespaces apart whose names are alike, and deletes one thread only', async () => {
    const saver = openSaver();
    const threads = ['a', 'a:b', 'a/..', '*', '[a]', 'ä', 'x'.repeat(256)];
    const namespaces = ['', 'a', 'a|b:1', 'n:'.repeat(200)];
    const places = threads.flatMap((thread) => namespaces.map((ns) => inThread(thread, ns)));
    for (const place of places) await put(saver, place, { name: [JSON.stringify(place), 1] });
    for (const place of places) {
      const tuple = await saver.getTuple(place);
      expect(tuple?.checkpoint.channel_values).toEqual({ name: JSON.stringify(place) });
      expect(tuple?.config.configurable).toMatchObject(place.configurable ?? {});
    }
    await saver.deleteThread('a');
    const left = (await all(saver.list({}))).map(({ config }) => config.configurable?.thread_id);
    expect(new Set(left)).toEqual(new Set(threads.slice(1)));
    expect(left).toHaveLength(places.length - namespaces.length);
  });

  it('leaves nothing of a deleted thread in the store', async () => {
    const store = running.place().open();
    const saver = new KeepsakeSaver({ store });
    const config = await put(saver, inThread('t'), { huge: ['x'.repeat(800_000), 1] });
    await saver.putWrites(config, [['a', 1]], 'task');
    await saver.deleteThread('t');
    expect((await store.namespaces()).items).toEqual([]);
  });

  it('filters the history by metadata, also by nested values', async () => {
    const saver = openSaver();
    for (const step of [0, 1, 2]) {
      await saver.put(
        inThread('t'),
        { ...emptyCheckpoint(), id: uuid6(step) },
        { ...META, step, parents: { a: `${step}` } },
        {},
      );
    }
    const steps = async (filter: object) =>
      (await all(saver.list(inThread('t'), { filter }))).map(({ metadata }) => metadata?.step);
    expect(await steps({ source: 'loop' })).toEqual([2, 1, 0]);
    expect(await steps({ step: 1 })).toEqual([1]);
    expect(await steps({ parents: { a: '2' } })).toEqual([2]);
    expect(await steps({ parents: {} })).toEqual([]);
  });
});

describe('KeepsakeSaver', () => {
  const saver = new KeepsakeSaver({ store: new InMemoryStore({ name: 'memory' }) });

  it('refuses stores that can not hold checkpoints', () => {
    const store = new InMemoryStore({ name: 'memory' });
    for (const lacking of [{ consistency: 'eventual' }, { enumerate: false }]) {
      const hosted = Object.assign(Object.create(store), { capabilities: { ...store.capabilities, ...lacking } });
      expect(() => new KeepsakeSaver({ store: hosted as RecordStore })).toThrow(MemoryError);
    }
    expect(() => new KeepsakeSaver({} as never)).toThrow('`store` is missing');
  });

  it.each([
    ['no thread', {}],
    ['a thread that is a number', { thread_id: 1 }],
    ['an empty thread', { thread_id: '' }],
    ['a thread of 257 characters', { thread_id: 'x'.repeat(257) }],
    ['a NUL in the namespace', { thread_id: 't', checkpoint_ns: '\0' }],
  ])('refuses %s', async (_, configurable) => {
    const put = saver.put({ configurable }, emptyCheckpoint(), META, {});
    await expect(put).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('opens a thread once, because a store in files reads all of it then', async () => {
    const opened: unknown[] = [];
    const onCall = (name: string, [segments]: readonly unknown[]) => {
      if (name === 'within') opened.push(segments);
    };
    const saver = new KeepsakeSaver({ store: watched(new InMemoryStore({ name: 'memory' }), onCall) });
    let config = inThread('t');
    for (let step = 1; step < 10; step++) {
      config = await put(saver, config, { step: [step, step] });
      await saver.putWrites(config, [['step', step]], 'task');
      await saver.getTuple(inThread('t'));
    }
    await all(saver.list(inThread('t')));
    expect(opened).toEqual([['langgraph:threads'], ['t'], ['data']]);
  });

  it('says which data is missing', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    const saver = new KeepsakeSaver({ store });
    const config = await put(saver, inThread('t'), { huge: ['x'.repeat(400_000), 1] });
    await store.within(['langgraph:threads', 't', 'data']).clear();
    await expect(saver.getTuple(config)).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  refusesUnknownOptions([
    [
      'KeepsakeSaver',
      (options) => new KeepsakeSaver(options),
      { store: new InMemoryStore({ name: 'a' }), serd: 1 },
      'serde',
    ],
  ]);
});

const inThread = (thread_id: string, checkpoint_ns = ''): RunnableConfig => ({
  configurable: { thread_id, checkpoint_ns },
});

const large = (text: string) => text.repeat(1_000);

/** Puts a checkpoint after another. Channels have a value and a version; without a value, they did not change. */
it('the latest checkpoint is right even if the process ends with the batch that puts one after others have', async () => {
  const store = new InMemoryStore({ name: 'threads' });
  const life = { endsWithPut: false, hasEnded: false };
  const saver = new KeepsakeSaver({ store: endingWithPut(store, life) });
  const other = new KeepsakeSaver({ store });
  await put(saver, inThread('t'), {}, '1');
  await put(other, inThread('t'), {}, '3');
  life.endsWithPut = true;
  await put(saver, inThread('t'), {}, '2');
  expect(life.hasEnded).toBe(true);
  expect((await other.getTuple(inThread('t')))?.checkpoint.id).toBe('3');
  expect((await all(other.list(inThread('t')))).map(({ checkpoint }) => checkpoint.id)).toEqual(['3', '2', '1']);
});

/** A store that takes no call after its next `putMany` that succeeds, once `life.endsWithPut` is set. */
function endingWithPut(store: RecordStore, life: { readonly endsWithPut: boolean; hasEnded: boolean }): RecordStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'within') return (segments: string[]) => endingWithPut(target.within(segments), life);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (life.hasEnded) throw new Error('The process has ended.');
        const result: unknown = await value.apply(target, args);
        if (name === 'putMany') life.hasEnded = life.endsWithPut;
        return result;
      };
    },
  });
}

async function put(
  saver: KeepsakeSaver,
  config: RunnableConfig,
  channels: Readonly<Record<string, readonly [value: unknown, version: number]>>,
  id = uuid6(0),
): Promise<RunnableConfig> {
  const entries = Object.entries(channels);
  const versions: ChannelVersions = Object.fromEntries(entries.map(([channel, [, version]]) => [channel, version]));
  const values = Object.fromEntries(entries.map(([channel, [value = 'as before']]) => [channel, value]));
  const changed = entries.filter(([, [value]]) => value !== undefined).map(([channel]) => [channel, versions[channel]]);
  const checkpoint = { ...emptyCheckpoint(), id, channel_values: values, channel_versions: versions };
  return saver.put(config, checkpoint, META, Object.fromEntries(changed) as ChannelVersions);
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The same store, which tells which of its methods are called, on it and below it. */
function watched(store: RecordStore, onCall: (name: string, args: readonly unknown[]) => void): RecordStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        onCall(String(name), args);
        const returned: unknown = Reflect.apply(value, target, args);
        return name === 'within' ? watched(returned as RecordStore, onCall) : returned;
      };
    },
  });
}

/** The characters of all records. */
async function sizeOf(store: RecordStore): Promise<number> {
  const { items } = await store.list({ descendants: true, limit: 1_000 });
  return items.reduce((sum, { content }) => sum + content.length, 0);
}
