import {
  type ExtractionTrigger,
  InvocationTrigger,
  MemoryError,
  type MemoryRecord,
  ModelExtractor,
  type RecordStore,
} from '@keepsake/core';
import { mulberry32 } from '@keepsake/testing/mulberry32';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { adds, assistant, crashing, managerOf, ScriptedModel, user } from './support.ts';

/** Delays that are the same in every run. */
const random = mulberry32(1);
const never = { name: 'never', attach() {} };

/** Stores that outlive managers: one of facts, one of messages, and the outbox. */
function storesWith(model: ScriptedModel, trigger: ExtractionTrigger = never) {
  const facts = new InMemoryStore({
    name: 'facts',
    extraction: { trigger, extractor: new ModelExtractor({ model }), deadlineMs: 5_000 },
  });
  const talk = new InMemoryStore({ name: 'talk', extraction: { trigger } });
  const outbox = new InMemoryStore({ name: 'outbox' });
  const start = () => managerOf({ stores: [facts, talk], outbox });
  return { facts, talk, outbox, start };
}

const contentsOf = async (store: RecordStore) =>
  (await store.list({ order: 'oldest', limit: 1_000 })).items.map(({ content }) => content);
const kept = async (outbox: RecordStore) => (await outbox.within(['keepsake-outbox']).list()).items;

const extractionOf = (model: ScriptedModel, trigger: ExtractionTrigger = never) => ({
  name: 'facts',
  extraction: { trigger, extractor: new ModelExtractor({ model }) },
});

/** Fires on each message, before the turn ends. */
const onMessages: ExtractionTrigger = {
  name: 'on-messages',
  attach: ({ conversation, fire }) => conversation.onMessages(fire),
};

/** Extracts a fact from each user message in the prompt. */
const learnsAll = () =>
  new ScriptedModel((prompt) =>
    adds(...[...prompt.matchAll(/<message role="user">([^<]*)</g)].map(([, text]) => `The user said ${text}.`)),
  );

describe('an outbox', () => {
  it('stores the messages of a turn in one batch before the turn ends, and removes them once they are saved', async () => {
    const { outbox, start, facts, talk } = storesWith(learnsAll());
    const batches: number[] = [];
    const within = outbox.within.bind(outbox);
    outbox.within = (...place) => {
      const store = within(...place);
      const { putMany } = store;
      store.putMany = (records) => {
        batches.push(records.length);
        return putMany.call(store, records);
      };
      return store;
    };
    const { memory } = start();
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('one'), assistant('two'));
    chat.observe(user('three'));
    expect(await kept(outbox)).toEqual([]);
    await chat.endTurn();
    const records = await kept(outbox);
    expect(records).toHaveLength(1);
    for (const word of ['one', 'two', 'three']) expect(records[0]?.content).toContain(word);
    await chat.endTurn();
    expect(batches).toEqual([1]);
    expect(await memory.flush()).toEqual({ facts: { saved: 3, failed: 0 }, talk: { saved: 3, failed: 0 } });
    expect(await kept(outbox)).toEqual([]);
    expect(await contentsOf(facts)).toEqual(['The user said one.', 'The user said three.']);
    expect(await contentsOf(talk)).toEqual(['one', 'two', 'three']);
    // A search does not find messages in the outbox.
    expect(await outbox.search('one two three')).toEqual([]);
  });

  it('lets a new process recover the messages of all conversations', async () => {
    const { outbox, start, facts, talk } = storesWith(learnsAll());
    for (const id of ['a*', 'a:b', '../a']) {
      const { memory } = start();
      memory.conversation({ id: id }).observe(user(`in ${id}`));
      await memory.conversation({ id: id }).endTurn();
    }
    const { memory } = start();
    expect(await memory.recover()).toEqual({ facts: { saved: 3, failed: 0 }, talk: { saved: 3, failed: 0 } });
    expect(await contentsOf(facts)).toEqual([
      'The user said in a*.',
      'The user said in a:b.',
      'The user said in ../a.',
    ]);
    const threads = (await talk.list({ order: 'oldest' })).items.map(({ turn }) => turn?.thread);
    expect(threads).toEqual(['a*', 'a:b', '../a']);
    expect(await kept(outbox)).toEqual([]);
    expect(await memory.recover()).toEqual({ facts: { saved: 0, failed: 0 }, talk: { saved: 0, failed: 0 } });
  });

  it('never gives messages to the stores of another user', async () => {
    const outbox = new InMemoryStore({ name: 'outbox' });
    const users = new InMemoryStore({ name: 'personal', extraction: { trigger: never } });
    const [alice, bob] = ['alice', 'bob'].map((user) => users.within(['u', user])) as [RecordStore, RecordStore];
    const start = (store: RecordStore) => managerOf({ stores: [store], outbox }).memory;
    const chat = start(alice).conversation({ id: 'chat' });
    chat.observe(user('My secret is 42.'));
    await chat.endTurn();
    expect(await start(bob).recover()).toEqual({ personal: { saved: 0, failed: 0 } });
    expect(await contentsOf(bob)).toEqual([]);
    expect(await start(alice).recover()).toEqual({ personal: { saved: 1, failed: 0 } });
    expect(await contentsOf(alice)).toEqual(['My secret is 42.']);
    expect(await kept(outbox)).toEqual([]);
  });

  it('does not recover conversations of the same process', async () => {
    const { start, talk } = storesWith(learnsAll());
    const { memory } = start();
    memory.conversation({ id: 'chat' }).observe(user('one'));
    await memory.conversation({ id: 'chat' }).endTurn();
    expect(await memory.recover()).toEqual({ facts: { saved: 0, failed: 0 }, talk: { saved: 0, failed: 0 } });
    expect(await contentsOf(talk)).toEqual([]);
  });

  it('keeps the answer of the model: it is not called again, and nothing is written twice', async () => {
    // The process ends after each possible number of calls to the stores.
    for (let last = 0; last < 14; last++) {
      let answers = 0;
      const model = new ScriptedModel(() => adds(`Fact one, take ${++answers}.`, `Fact two, take ${answers}.`));
      const { facts, outbox } = storesWith(model);
      const life = crashing(last);
      const [store, box] = [life.of(facts), life.of(outbox)];
      const first = managerOf({ stores: [store], outbox: box });
      const chat = first.memory.conversation({ id: 'chat' });
      chat.observe(user('hello'));
      void chat.endTurn();
      void first.memory.flush();
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve));

      const second = managerOf({ stores: [facts], outbox });
      await second.memory.recover();
      const contents = await contentsOf(facts);
      expect(contents.map((content) => content.replace(/\d/, 'n'))).toEqual(['Fact one, take n.', 'Fact two, take n.']);
      // Both facts are from one answer.
      expect(new Set(contents.map((content) => /\d/.exec(content)?.[0])).size).toBe(1);
      expect(await kept(outbox)).toEqual([]);
    }
  });

  it('can be shared by running processes, which write each message once', async () => {
    for (let round = 0; round < rounds(30, 8); round++) {
      let answers = 0;
      const model = new ScriptedModel(async () => {
        await new Promise((resolve) => setTimeout(resolve, random() * 3));
        return adds(`One, take ${++answers}.`, `Two, take ${answers}.`);
      });
      const { outbox, start, facts, talk } = storesWith(model, new InvocationTrigger());
      const managers = Array.from({ length: 4 }, () => start().memory);
      const ends = managers.map(async (manager, index) => {
        manager.conversation({ id: `chat ${index}` }).observe(user(`hello ${index}`));
        await manager.conversation({ id: `chat ${index}` }).endTurn();
        await manager.recover();
        await manager.flush();
      });
      await Promise.all(ends);
      for (let left = 4; left > 0; left--) for (const manager of managers) await manager.flush();
      for (const manager of managers) await manager.recover();
      expect((await contentsOf(talk)).sort()).toEqual(['hello 0', 'hello 1', 'hello 2', 'hello 3']);
      const sources = (await facts.list()).items.map(({ metadata }) => metadata.sourceThread);
      expect([round, ...sources.sort()]).toEqual([
        round,
        ...['chat 0', 'chat 0', 'chat 1', 'chat 1', 'chat 2', 'chat 2', 'chat 3', 'chat 3'],
      ]);
      expect(await kept(outbox)).toEqual([]);
    }
  });

  it('prevents a process from saving turns that another has saved', async () => {
    for (const turns of [1, 2, 3]) {
      const { outbox, start, facts, talk } = storesWith(learnsAll());
      const model = new ScriptedModel(() => adds('What a second look makes of it.'));
      const late = managerOf({ stores: [facts.within([], extractionOf(model)), talk], outbox }).memory;
      let handed = 0;
      const chat = late.conversation({ id: 'chat' });
      for (let turn = 0; turn < turns; turn++) {
        chat.observe(user(`${turn}`));
        await chat.endTurn();
      }
      expect(await start().memory.recover()).toMatchObject({ facts: { saved: turns }, talk: { saved: turns } });
      talk.addMessages = async () => {
        handed++;
        return [];
      };
      for (const text of ['more', 'and more']) {
        chat.observe(user(text));
        await chat.endTurn();
      }
      await late.flush();
      expect(model.requests).toHaveLength(1);
      expect(model.requests[0]?.prompt.match(/<message /g)).toHaveLength(2);
      expect(await contentsOf(facts)).toHaveLength(turns + 1);
      expect(handed).toBe(1);
      expect(await kept(outbox)).toEqual([]);
    }
  });

  it('has each message learnt once, even if several processes save and recover', async () => {
    const wordings = () => {
      let answers = 0;
      return new ScriptedModel(async (prompt) => {
        await new Promise((resolve) => setTimeout(resolve, random() * 3));
        const texts = [...prompt.matchAll(/<message role="user">([^<]*)</g)];
        return adds(...texts.map(([, text]) => `${text} (wording ${answers++})`));
      });
    };
    const { outbox, start, facts, talk } = storesWith(wordings());
    const [live, other, third] = [start().memory, start().memory, start().memory];
    const chat = live.conversation({ id: 'chat' });
    for (let turn = 0; turn < 40; turn++) {
      chat.observe(user(`message ${turn}`));
      await chat.endTurn();
      if (turn % 3 === 0) await Promise.all([live.flush(), other.recover(), third.recover()]);
    }
    for (let left = 3; left > 0; left--) for (const manager of [live, other, third]) await manager.flush();
    const learnt = (await contentsOf(facts)).map((content) => content.replace(/ \(.*/, ''));
    expect(learnt.sort()).toEqual(Array.from({ length: 40 }, (_, turn) => `message ${turn}`).sort());
    expect(await contentsOf(talk)).toHaveLength(40);
    expect(await kept(outbox)).toEqual([]);
  });

  it('records which stores saved a turn before it ended', async () => {
    // The process ends after each possible number of calls to the outbox and the store.
    for (let last = 0; last < 20; last++) {
      let answers = 0;
      const model = new ScriptedModel(() => adds(`Fact one, take ${++answers}.`, `Fact two, take ${answers}.`));
      const { facts, talk, outbox } = storesWith(model);
      const { addMessages } = talk;
      talk.addMessages = async () => Promise.reject(new Error('down'));
      const life = crashing(last);
      const stores = [life.of(facts.within([], extractionOf(model, onMessages))), talk];
      const chat = managerOf({ stores, outbox: life.of(outbox) }).memory.conversation({ id: 'chat' });
      chat.observe(user('hello'));
      // Ends the turn before, during or after the save.
      for (let wait = last % 5; wait > 0; wait--) await Promise.resolve();
      if (last % 2) await new Promise((resolve) => setTimeout(resolve));
      let acknowledged = false;
      chat.endTurn().then(
        () => (acknowledged = true),
        () => {},
      );
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve));

      talk.addMessages = addMessages;
      await managerOf({ stores: [facts, talk], outbox }).memory.recover();
      const contents = await contentsOf(facts);
      const takes = new Set(contents.map((content) => /\d/.exec(content)?.[0]));
      // A turn that was not acknowledged may be lost in part.
      const rightCounts = acknowledged ? [2] : [0, 1, 2];
      expect([last, acknowledged, contents.length, takes.size]).toEqual([
        last,
        acknowledged,
        expect.toSatisfy((count: number) => rightCounts.includes(count)),
        Math.min(contents.length, 1),
      ]);
      expect(await kept(outbox)).toEqual([]);
    }
  });

  it('spares the next process a model call if a store saved before the turn ended', async () => {
    const model = learnsAll();
    const { talk, outbox, start } = storesWith(model);
    const { addMessages } = talk;
    talk.addMessages = async () => Promise.reject(new Error('down'));
    const { memory } = start();
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('I sail.'));
    expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 }, talk: { saved: 0, failed: 1 } });
    await chat.endTurn();
    talk.addMessages = addMessages;
    expect(await start().memory.recover()).toEqual({ facts: { saved: 0, failed: 0 }, talk: { saved: 1, failed: 0 } });
    expect(model.requests).toHaveLength(1);
    expect(await kept(outbox)).toEqual([]);
  });

  it('makes endTurn reject if it fails, is reported, and is tried again at the next turn', async () => {
    const { outbox, start } = storesWith(learnsAll());
    const within = outbox.within.bind(outbox);
    let down = true;
    outbox.within = (...place) => {
      const store = within(...place);
      const { putMany } = store;
      store.putMany = async (records) => {
        if (down) throw new MemoryError('BACKEND', 'The disk is full.');
        return putMany.call(store, records);
      };
      return store;
    };
    const { memory, reports } = start();
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('one'));
    // An endTurn that is not awaited must not be an unhandled rejection, which would end the test run.
    void chat.endTurn();
    await expect(chat.endTurn()).rejects.toThrow('The disk is full.');
    expect(reports).toMatchObject([
      { storeName: 'outbox', operation: 'outbox', error: { code: 'BACKEND' } },
      { storeName: 'outbox', operation: 'outbox' },
    ]);
    down = false;
    chat.observe(user('two'));
    await chat.endTurn();
    const { memory: next } = start();
    expect(await next.recover()).toMatchObject({ talk: { saved: 2, failed: 0 } });
  });

  it('stores messages of any size and text', async () => {
    const { start, talk } = storesWith(learnsAll());
    const texts = ['💡'.repeat(250_000), ' \u2028\0\ud800 ', `${' '.repeat(400_000)}end`, '__proto__'];
    const { memory } = start();
    memory.conversation({ id: 'chat' }).observe(...texts.map(user));
    memory.conversation({ id: 'chat' }).observe({ role: 'user', content: [{ image: 'x'.repeat(3_000_000) }] });
    await memory.conversation({ id: 'chat' }).endTurn();
    expect(await start().memory.recover()).toMatchObject({ talk: { saved: 5, failed: 0 } });
    expect(await contentsOf(talk)).toEqual(texts);
  });

  it('keeps messages for the next process if a store could not save them', async () => {
    const { outbox, start, talk } = storesWith(learnsAll());
    const { addMessages } = talk;
    talk.addMessages = async () => {
      throw new Error('down');
    };
    const { memory } = start();
    memory.conversation({ id: 'chat' }).observe(user('one'));
    await memory.conversation({ id: 'chat' }).endTurn();
    expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 }, talk: { saved: 0, failed: 1 } });
    expect(await start().memory.recover()).toEqual({
      facts: { saved: 0, failed: 0 },
      talk: { saved: 0, failed: 1 },
    });
    talk.addMessages = addMessages;
    expect(await start().memory.recover()).toEqual({
      facts: { saved: 0, failed: 0 },
      talk: { saved: 1, failed: 0 },
    });
    expect(await kept(outbox)).toEqual([]);
  });

  it('delays no turn beyond the deadline if it hangs, and loses none', async () => {
    const { outbox, facts, talk } = storesWith(learnsAll());
    const wake = Promise.withResolvers<void>();
    const within = outbox.within.bind(outbox);
    let hangs = true;
    outbox.within = (...place) => {
      const store = within(...place);
      const { putMany } = store;
      store.putMany = async (records) => {
        if (hangs) await wake.promise;
        return putMany.call(store, records);
      };
      return store;
    };
    const { memory, reports } = managerOf({ stores: [facts, talk], outbox, search: { deadlineMs: 20 } });
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('one'));
    await expect(chat.endTurn()).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(reports).toMatchObject([{ storeName: 'outbox', operation: 'outbox', error: { code: 'TIMEOUT' } }]);
    hangs = false;
    await chat.endTurn();
    chat.observe(user('two'));
    await chat.endTurn();
    wake.resolve();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
    expect(await kept(outbox)).toHaveLength(2);
    // The process ends here.
    expect(await managerOf({ stores: [facts, talk], outbox }).memory.recover()).toMatchObject({ talk: { saved: 2 } });
    expect(await contentsOf(talk)).toEqual(['one', 'two']);
    expect(await kept(outbox)).toEqual([]);
  });

  it('saves each message once if a write arrives after it timed out', async () => {
    const { outbox, start, talk } = storesWith(learnsAll());
    const { memory } = start();
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('one'), user('two'));
    await chat.endTurn();
    const box = outbox.within(['keepsake-outbox']);
    const [{ id, content, metadata }] = (await kept(outbox)) as [MemoryRecord];
    const { turnId } = metadata;
    const again = `${turnId}x`;
    await box.put({ id: id.replace(String(turnId), again), content, metadata: { ...metadata, turnId: again } });
    expect(await start().memory.recover()).toMatchObject({ talk: { saved: 2, failed: 0 } });
    expect(await contentsOf(talk)).toEqual(['one', 'two']);
    expect(await kept(outbox)).toEqual([]);
  });

  it('is refused if it is read-only, cannot list, or is eventually consistent', () => {
    const outbox = new InMemoryStore({ name: 'outbox', writable: false });
    expect(() => managerOf({ stores: [new InMemoryStore({ name: 'facts' })], outbox })).toThrow(
      /outbox must be a writable, strongly consistent store/,
    );
    for (const lack of [{ enumerate: false }, { consistency: 'eventual' }]) {
      const blind = new InMemoryStore({ name: 'outbox' });
      Object.assign(blind, { capabilities: { ...blind.capabilities, ...lack } });
      expect(() => managerOf({ stores: [new InMemoryStore({ name: 'facts' })], outbox: blind })).toThrow(
        /strongly consistent store that can list its records/,
      );
    }
  });
});

describe('a turn that goes on', () => {
  /** Longer than messages wait to be written. */
  const aWhile = () => new Promise((resolve) => setTimeout(resolve, 200));

  it('is in the outbox before it ends, in few writes, and its messages are saved once', async () => {
    const { outbox, start, facts, talk } = storesWith(learnsAll());
    const { memory } = start();
    const chat = memory.conversation({ id: 'chat' });
    for (let step = 0; step < 3; step++) {
      for (let part = 0; part < 10; part++) chat.observe(user(`step ${step}, part ${part}`));
      await aWhile();
      expect(await kept(outbox)).toHaveLength(step + 1);
    }
    // The process ends here, in the middle of the turn.
    const next = start().memory;
    expect(await next.recover()).toEqual({ facts: { saved: 30, failed: 0 }, talk: { saved: 30, failed: 0 } });
    const said = Array.from({ length: 30 }, (_, index) => `step ${Math.floor(index / 10)}, part ${index % 10}`);
    expect(await contentsOf(talk)).toEqual(said);
    expect(await contentsOf(facts)).toHaveLength(30);
    expect(await kept(outbox)).toEqual([]);
  });

  it('is not written again at its end', async () => {
    const { outbox, start, talk } = storesWith(learnsAll());
    const { memory } = start();
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('one'));
    await aWhile();
    const before = await kept(outbox);
    await chat.endTurn();
    expect(await kept(outbox)).toEqual(before);
    chat.observe(user('two'));
    await chat.endTurn();
    await aWhile();
    expect(await kept(outbox)).toHaveLength(2);
    expect(await memory.flush()).toMatchObject({ talk: { saved: 2, failed: 0 } });
    expect(await contentsOf(talk)).toEqual(['one', 'two']);
    expect(await kept(outbox)).toEqual([]);
  });

  it.each(['with', 'without'])(
    'is saved by flush() as far as it went, and the rest later, %s an outbox',
    async (kind) => {
      const { outbox, facts, talk } = storesWith(learnsAll());
      const { memory } = managerOf({ stores: [facts, talk], ...(kind === 'with' && { outbox }) });
      const chat = memory.conversation({ id: 'chat' });
      for (const text of ['one', 'two', 'three']) {
        chat.observe(user(text));
        if (text === 'two') await aWhile();
        expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 }, talk: { saved: 1, failed: 0 } });
      }
      await chat.endTurn();
      expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 0 }, talk: { saved: 0, failed: 0 } });
      expect(await contentsOf(talk)).toEqual(['one', 'two', 'three']);
      expect(await kept(outbox)).toEqual([]);
    },
  );

  it('is reported if the outbox fails, and written at its end', async () => {
    const { outbox, start } = storesWith(learnsAll());
    const within = outbox.within.bind(outbox);
    let down = true;
    outbox.within = (...place) => {
      const store = within(...place);
      const { putMany } = store;
      store.putMany = async (records) => {
        if (down) throw new MemoryError('BACKEND', 'The disk is full.');
        return putMany.call(store, records);
      };
      return store;
    };
    const { memory, reports } = start();
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('one'));
    await aWhile();
    expect(reports).toMatchObject([{ storeName: 'outbox', operation: 'outbox', error: { code: 'BACKEND' } }]);
    down = false;
    await chat.endTurn();
    expect(await start().memory.recover()).toMatchObject({ talk: { saved: 1, failed: 0 } });
  });
});

describe('recovered messages of a store that needs a model', () => {
  it('wait for the model of a conversation, which is reported once', async () => {
    const model = learnsAll();
    const facts = new InMemoryStore({ name: 'facts', extraction: { trigger: never, extractor: new ModelExtractor() } });
    const outbox = new InMemoryStore({ name: 'outbox' });
    const first = managerOf({ stores: [facts], outbox }).memory;
    for (const id of ['a', 'b']) {
      first.conversation({ id, model }).observe(user(`in ${id}`));
      await first.conversation({ id }).endTurn();
    }
    // Another process, which has no model before its first conversation.
    const { memory, reports } = managerOf({ stores: [facts], outbox });
    for (let tries = 0; tries < 15; tries++) {
      expect(await memory.recover()).toEqual({ facts: { saved: 0, failed: 2 } });
    }
    expect(reports).toMatchObject([{ storeName: 'facts', operation: 'extract', error: { code: 'INVALID_ARGUMENT' } }]);
    expect(String(reports[0]?.error)).toMatch(/"facts" needs a model/);
    expect(() => memory.conversation({ id: 'c' })).toThrow(/needs a model/);
    memory.conversation({ id: 'c', model });
    expect(await memory.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
    expect((await contentsOf(facts)).sort()).toEqual(['The user said in a.', 'The user said in b.']);
    expect(await kept(outbox)).toEqual([]);
    expect(await memory.deadLetters()).toEqual({ items: [] });
  });
});
