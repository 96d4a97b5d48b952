import {
  type ExtractionBatch,
  type ExtractionConfig,
  InvocationTrigger,
  type MemoryChange,
  type MemoryEntry,
  type Message,
  ModelExtractor,
  type RecordStore,
} from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { adds, assistant, managerOf, ScriptedModel, user } from './support.ts';

const never = { name: 'never', attach() {} };
const each = new InvocationTrigger();

/** A store of the facts that a model extracts at each flush. */
const factsOf = (model: ScriptedModel, consolidate = true) =>
  new InMemoryStore({
    name: 'facts',
    extraction: { trigger: never, extractor: new ModelExtractor({ model, consolidate }) },
  });

const recordsOf = async (store: RecordStore) => (await store.list({ order: 'oldest' })).items;
const contentsOf = async (store: RecordStore) => (await recordsOf(store)).map(({ content }) => content);

/** The number of a memory in a prompt. */
const numberOf = (prompt: string, content: string) =>
  new RegExp(`<memory id="(\\d+)"[^>]*>${content}<`).exec(prompt)?.[1];

const berlin = 'The user lives in Berlin.';
const lisbon = 'The user lives in Lisbon.';
const moves = [
  adds(berlin),
  (prompt: string) => ({ changes: [{ action: 'update', id: numberOf(prompt, berlin), content: lisbon }] }),
] as const;

describe('a fact that changes', () => {
  it('supersedes the old one, with both sources, and is found alone', async () => {
    const store = factsOf(new ScriptedModel(...moves));
    const { memory } = managerOf({ stores: [store] });
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('I live in Berlin'));
    await memory.flush();
    chat.observe(user('I moved to Lisbon'));
    await memory.flush();
    const records = await recordsOf(store);
    expect(records).toMatchObject([{ content: lisbon, version: putTimes(1), metadata: { sourceThread: 'chat' } }]);
    expect(records[0]?.metadata.sourceKeys).toHaveLength(2);
    const [old, now] = await store.history(records[0]?.id as string);
    expect(old).toMatchObject({ content: berlin, supersededBy: now?.id, validUntil: now?.validFrom });
    expect(now).toEqual(records[0]);
    expect(await store.search('Where does the user live?')).toMatchObject([{ content: lisbon }]);
  });

  it('does not prevent a new record with its old text', async () => {
    const model = new ScriptedModel(...moves, adds(berlin), adds(berlin));
    const store = factsOf(model);
    const { memory } = managerOf({ stores: [store] });
    for (const text of ['I live in Berlin', 'I moved to Lisbon', 'My other home is in Berlin', 'Berlin!']) {
      memory.conversation({ id: 'chat' }).observe(user(text));
      await memory.flush();
    }
    expect(await contentsOf(store)).toEqual([lisbon, berlin]);
  });

  it('keeps the other metadata and the expiry of its record', async () => {
    const model = new ScriptedModel(moves[1]);
    const store = factsOf(model);
    const turn = { thread: 'notes', index: 3 };
    const known = await store.put({ content: berlin, metadata: { colour: 'red' }, ttlMs: 3_600_000 });
    await store.put({ id: 'said', content: 'I live in Berlin with my cat', turn });
    const { memory } = managerOf({ stores: [store] });
    memory.conversation({ id: 'chat' }).observe(user('I no longer live in Berlin but in Lisbon'));
    await memory.flush();
    const updated = (await store.history(known.id)).at(-1);
    expect(updated).toMatchObject({ content: lisbon, metadata: { colour: 'red', sourceThread: 'chat' } });
    expect(await store.get(known.id)).toMatchObject({ content: berlin, metadata: { colour: 'red' } });
    expect(Date.parse(updated?.expiresAt ?? '')).toBeLessThan(Date.parse(known.expiresAt ?? '') + 60_000);
    // Recorded messages are not memories to revise.
    expect(model.requests[0]?.prompt).not.toContain('with my cat');
    expect(await store.get('said')).toMatchObject({ version: putTimes(1), turn });
  });

  it('supersedes the latest words after a concurrent update', async () => {
    const store = factsOf(new ScriptedModel(...moves));
    const { memory } = managerOf({ stores: [store] });
    memory.conversation({ id: 'chat' }).observe(user('I live in Berlin'));
    await memory.flush();
    const [record] = await recordsOf(store);
    const { put } = store;
    let others = 0;
    store.put = async (...input) => {
      if (others++ === 0) await put.call(store, { id: record?.id as string, content: 'The user lives in Bern.' });
      return put.apply(store, input);
    };
    memory.conversation({ id: 'chat' }).observe(user('I moved to Lisbon'));
    expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    const [now] = await recordsOf(store);
    expect((await store.history(now?.id as string)).map(({ content }) => content)).toEqual([
      'The user lives in Bern.',
      lisbon,
    ]);
  });

  it('is added beside the old one without consolidation', async () => {
    const store = factsOf(new ScriptedModel(...moves), false);
    const { memory } = managerOf({ stores: [store] });
    for (const text of ['I live in Berlin', 'I moved to Lisbon']) {
      memory.conversation({ id: 'chat' }).observe(user(text));
      await memory.flush();
    }
    expect(await contentsOf(store)).toEqual([berlin, lisbon]);
  });

  it('is closed if the model deletes it, but only if the model was shown it', async () => {
    const model = new ScriptedModel((prompt) => ({
      changes: [
        { action: 'delete', id: numberOf(prompt, berlin), content: null },
        { action: 'delete', id: 'precious', content: null },
      ],
    }));
    const store = factsOf(model);
    await store.add(berlin);
    await store.put({ id: 'precious', content: 'Nothing alike' });
    await store.put({ id: 'hidden', content: 'The user lives in Berlin, they say', index: false });
    const { memory } = managerOf({ stores: [store] });
    memory.conversation({ id: 'chat' }).observe(user('Forget where I live, Berlin or not'));
    await memory.flush();
    expect(await contentsOf(store)).toEqual(['Nothing alike', 'The user lives in Berlin, they say']);
    const { items } = await store.list({ history: true, order: 'oldest' });
    expect(items[0]).toMatchObject({ content: berlin, validUntil: expect.any(String) });
    expect(model.requests[0]?.prompt).not.toMatch(/Nothing alike|they say/);
  });

  it('is distinct from a fact that differs only in a symbol', async () => {
    const contents = ['The user writes C.', 'The user writes C++.', 'The user writes C#.', 'THE USER “writes” C!'];
    const store = factsOf(new ScriptedModel(adds(...contents)));
    const { memory } = managerOf({ stores: [store] });
    memory.conversation({ id: 'chat' }).observe(user('I write C, C++ and C#'));
    await memory.flush();
    expect(await contentsOf(store)).toEqual(contents.slice(0, 3));
  });

  it.each([true, false])(
    'is not deleted if it was rewritten meanwhile, in a store with history: %s',
    async (history) => {
      const store = factsOf(
        new ScriptedModel(async (prompt) => {
          await store.put({ id: (await store.add(berlin)).id, content: 'The user lives in Berlin in summer.' });
          return { changes: [{ action: 'delete', id: numberOf(prompt, berlin), content: null }] };
        }),
      );
      Object.defineProperty(store, 'capabilities', { value: { ...store.capabilities, history } });
      await store.add(berlin);
      const { memory } = managerOf({ stores: [store] });
      memory.conversation({ id: 'chat' }).observe(user('Forget that I live in Berlin'));
      await memory.flush();
      expect(await contentsOf(store)).toEqual(['The user lives in Berlin in summer.']);
    },
  );
});

describe('a retry', () => {
  it('repeats no write and no update, whichever answer of the store was lost', async () => {
    const answers = (prompt: string) => ({
      changes: [
        { action: 'update', id: numberOf(prompt, berlin), content: lisbon },
        { action: 'delete', id: numberOf(prompt, 'The user has a cat in Berlin.'), content: null },
        ...adds('The user likes tea.', 'The user sails.').changes,
      ],
    });
    for (let lost = 0; lost < 4; lost++) {
      const model = new ScriptedModel(answers);
      const store = factsOf(model);
      await store.add(berlin);
      await store.add('The user has a cat in Berlin.');
      let writes = 0;
      for (const name of ['put', 'add', 'delete'] as const) {
        const write = store[name].bind(store) as (...input: unknown[]) => Promise<unknown>;
        Object.assign(store, {
          async [name](...input: unknown[]) {
            const result = await write(...input);
            if (writes++ === lost) throw new Error('The answer was lost.');
            return result;
          },
        });
      }
      const { memory } = managerOf({ stores: [store] });
      memory.conversation({ id: 'chat' }).observe(user('I left my cat in Berlin and sail in Lisbon, with tea'));
      expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 1 } });
      expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
      const records = await recordsOf(store);
      expect(records.map(({ content, version }) => [content, version])).toEqual([
        [lisbon, putTimes(1)],
        ['The user likes tea.', putTimes(1)],
        ['The user sails.', putTimes(1)],
      ]);
      const { items } = await store.list({ history: true });
      expect(items.filter(({ validUntil }) => validUntil).map(({ version }) => version)).toEqual([
        putTimes(2),
        putTimes(2),
      ]);
      expect(model.requests).toHaveLength(1);
    }
  });

  it('does not overwrite a later update', async () => {
    const store = factsOf(new ScriptedModel(moves[1]));
    await store.add(berlin);
    const { put } = store;
    store.put = async (...input) => {
      const updated = await put.apply(store, input);
      await put.call(store, { ...updated, content: 'The user lives in Porto.' });
      store.put = put;
      throw new Error('The answer was lost.');
    };
    const { memory } = managerOf({ stores: [store] });
    memory.conversation({ id: 'chat' }).observe(user('I moved from Berlin to Lisbon'));
    expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 1 } });
    expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(await contentsOf(store)).toEqual(['The user lives in Porto.']);
  });

  it('repeats no write during 2,000 turns that outpace extraction', async () => {
    let answered = 0;
    const model = new ScriptedModel((prompt) => {
      if (++answered % 5 === 0) throw new Error('overloaded');
      return adds(...[...prompt.matchAll(/>fact (\d+)</g)].map(([, number]) => `The user knows fact ${number}.`));
    });
    const store = factsOf(model);
    const { put } = store;
    let written = 0;
    store.put = async (...input) => {
      const record = await put.apply(store, input);
      if (++written % 97 === 0) throw new Error('The answer was lost.');
      return record;
    };
    const { memory, reports } = managerOf({ stores: [store], extraction: { maxBuffered: 400 } });
    const chat = memory.conversation({ id: 'chat' });
    for (let turn = 0; turn < 2_000; turn++) {
      chat.observe(user(`fact ${turn}`));
      void chat.endTurn();
    }
    let flushed = await memory.flush();
    while (flushed.facts?.failed) flushed = await memory.flush();
    const dropped = reports.filter(({ operation }) => operation === 'overflow');
    expect(dropped.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(1_600);
    const { items: records } = await store.list({ order: 'oldest', limit: 1_000 });
    const expected = Array.from({ length: 400 }, (_, index) => `The user knows fact ${index + 1_600}.`);
    expect(records.map(({ content }) => content)).toEqual(expected);
    for (const { version } of records) expect(version).toEqual(putTimes(1));
  });
});

describe('a recalled memory', () => {
  const echoes = [
    'Prefers aisle seats',
    'You told me: “Prefers aisle seats”, as I recall!',
    'prefers aisle seats.\nLives in Bern. Has a cat.',
    'Has a cat',
  ];

  /** A conversation with two notes injected at each turn, which extracts into another store. */
  async function reminded(store: InMemoryStore) {
    const notes = new InMemoryStore({ name: 'notes' });
    for (const note of ['Prefers aisle seats', 'Lives in Bern. Has a cat']) await notes.add(note);
    const { memory } = managerOf({ stores: [notes, store], injection: { query: () => 'aisle seats, a cat in Bern' } });
    const chat = memory.conversation({ id: 'chat' });
    const ask = async (text: string) => {
      const [asked] = await chat.inject([user(text)]);
      for (const part of [text, 'Prefers aisle seats', 'Has a cat']) expect(JSON.stringify(asked)).toContain(part);
      return asked as Message;
    };
    return { memory, notes, chat, ask };
  }

  it('is never learnt by a store of messages, even if it is echoed for 50 turns', async () => {
    const store = new InMemoryStore({ name: 'talk', extraction: { trigger: each } });
    const { memory, chat, ask } = await reminded(store);
    for (let turn = 0; turn < 50; turn++) {
      const echo = echoes[turn % echoes.length] as string;
      chat.observe(await ask(`question ${turn}`), assistant(echo));
      chat.observe(await ask(`${turn} thanks`), assistant(`${echo}\nShall I book ${turn}?`));
      await chat.endTurn();
    }
    await memory.flush();
    const contents = (await store.list({ order: 'oldest', limit: 1_000 })).items.map(({ content }) => content);
    const said = (turn: number) => [`question ${turn}`, `${turn} thanks`, `Shall I book ${turn}?`];
    expect(contents).toEqual(Array.from({ length: 50 }, (_, turn) => said(turn)).flat());
  });

  it('is never learnt by a store of facts, even if it is echoed for 50 turns', async () => {
    const model = new ScriptedModel(adds('prefers AISLE seats!', 'Lives in Bern. Has a cat', 'Has a cat.'));
    const store = factsOf(model);
    const { memory, chat, ask } = await reminded(store);
    for (let turn = 0; turn < 50; turn++) {
      chat.observe(await ask(`question ${turn}`), assistant(echoes[turn % echoes.length] as string));
      await chat.endTurn();
      if (turn % 7 === 0) await memory.flush();
    }
    await memory.flush();
    expect(await recordsOf(store)).toEqual([]);
    for (const { prompt } of model.requests) expect(prompt).not.toMatch(/aisle|Bern|cat/i);
    expect(model.requests.length).toBeGreaterThan(5);
  });

  it.each([
    ['deleted', (notes: InMemoryStore, id: string) => notes.delete(id)],
    ['changed', (notes: InMemoryStore, id: string) => notes.put({ id, content: 'Prefers no seat' })],
  ])('is learnt again when the user says it again after it was %s', async (_, change) => {
    const model = new ScriptedModel(adds('Prefers aisle seats'));
    const store = factsOf(model);
    const { memory, notes, chat, ask } = await reminded(store);
    chat.observe(await ask('aisle or window?'));
    await memory.flush();
    expect(await contentsOf(store)).toEqual([]);
    for (const { id, content } of await recordsOf(notes)) if (content.includes('aisle')) await change(notes, id);
    chat.observe(user('I do want the aisle'));
    await memory.flush();
    expect(await contentsOf(store)).toEqual(['Prefers aisle seats']);
  });

  it('is learnt again in its own store after it was deleted there', async () => {
    const store = factsOf(new ScriptedModel(adds('Has a cat')));
    const { memory } = managerOf({ stores: [store], injection: { query: () => 'cat' } });
    const chat = memory.conversation({ id: 'chat' });
    const { id } = await store.add('Has a cat');
    expect(JSON.stringify(await chat.inject([user('Which pet?')]))).toContain('Has a cat');
    await store.delete(id);
    chat.observe(user('I have a cat again'));
    await memory.flush();
    expect(await contentsOf(store)).toEqual(['Has a cat']);
  });

  it('can still be the new text of an update', async () => {
    const model = new ScriptedModel((prompt) => ({
      changes: [{ action: 'update', id: numberOf(prompt, lisbon), content: 'Prefers aisle seats' }],
    }));
    const store = factsOf(model);
    await store.add(lisbon);
    const { memory, chat, ask } = await reminded(store);
    chat.observe(await ask('Where does the user live? In Lisbon'));
    await memory.flush();
    expect(await contentsOf(store)).toEqual(['Prefers aisle seats']);
  });
});

describe('the changes of an extractor', () => {
  /** A store whose extractor gives this answer, after it has learned it. */
  async function taught(answer: (known: readonly MemoryEntry[]) => unknown, settings: Partial<ExtractionConfig> = {}) {
    const extractor = { extract: async ({ known }: ExtractionBatch) => answer(known) as MemoryChange[] };
    const store = new InMemoryStore({ name: 'facts', extraction: { trigger: never, extractor, ...settings } });
    const { memory, reports } = managerOf({ stores: [store] });
    const learn = async (...texts: string[]) => {
      memory.conversation({ id: 'chat' }).observe(...texts.map(user));
      return memory.flush();
    };
    return { store, reports, learn };
  }

  it('keep their metadata, also in an update, beside the fields of the manager', async () => {
    const { store, learn } = await taught(([known]) =>
      known === undefined
        ? [{ kind: 'add', content: berlin, metadata: { topic: 'home', since: 2020, sourceThread: 'forged' } }]
        : [{ kind: 'update', id: known.id, content: lisbon, metadata: { since: 2026 } }],
    );
    await learn('I live in Berlin');
    const [added] = await recordsOf(store);
    expect(added).toMatchObject({ metadata: { topic: 'home', since: 2020, sourceThread: 'chat' } });
    await learn('I moved to Lisbon');
    const metadata = { topic: 'home', since: 2026, sourceThread: 'chat' };
    expect(await recordsOf(store)).toMatchObject([{ content: lisbon, metadata }]);
  });

  it('are kept if others are invalid, which are reported once, with their number', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const invalid = [
      null,
      'text',
      undefined,
      {},
      { kind: 'forget', id: 'x' },
      { kind: 'add', content: 5 },
      { kind: 'update', content: 'without an id' },
      { kind: 'delete' },
      { kind: 'add', content: 'circular', metadata: circle },
      { kind: 'add', content: 'a list', metadata: [] },
    ];
    const { store, reports, learn } = await taught(() => [...invalid, { kind: 'add', content: berlin }]);
    expect(await learn('I live in Berlin')).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(await contentsOf(store)).toEqual([berlin]);
    expect(reports).toMatchObject([
      { storeName: 'facts', operation: 'extract', error: { code: 'BACKEND' }, count: invalid.length },
    ]);
  });

  it('are a failure if none is valid, and the messages stay', async () => {
    let answer: unknown = [{ kind: 'add' }];
    const { store, reports, learn } = await taught(() => answer);
    expect(await learn('I live in Berlin')).toEqual({ facts: { saved: 0, failed: 1 } });
    answer = 'no list';
    expect(await learn('Really')).toEqual({ facts: { saved: 0, failed: 2 } });
    answer = [{ kind: 'add', content: berlin }];
    expect(await learn('Believe me')).toEqual({ facts: { saved: 3, failed: 0 } });
    expect(await contentsOf(store)).toEqual([berlin]);
    expect(reports).toHaveLength(2);
  });

  it.each([
    [undefined, 1, 50],
    [undefined, 40, 80],
    [3, 40, 3],
  ])('are limited to maxChangesPerBatch: with %s, for %d messages, %d of 10,000', async (limit, messages, taken) => {
    const all = Array.from({ length: 10_000 }, (_, index) => ({ kind: 'add', content: `fact ${index}` }));
    const { store, reports, learn } = await taught(() => all, { maxChangesPerBatch: limit });
    const said = Array.from({ length: messages }, (_, index) => `Message ${index}`);
    expect(await learn(...said)).toEqual({ facts: { saved: messages, failed: 0 } });
    expect(await contentsOf(store)).toEqual(all.slice(0, taken).map(({ content }) => content));
    expect(reports).toMatchObject([{ storeName: 'facts', error: { code: 'TOO_LARGE' }, count: 10_000 - taken }]);
  });
});
