import {
  type DeadLetter,
  IntervalTrigger,
  InvocationTrigger,
  MemoryError,
  type MemoryManager,
  type MemoryManagerOptions,
  ModelExtractor,
  type RecordStore,
} from '@keepsake/core';
import { mulberry32 } from '@keepsake/testing/mulberry32';
import { rounds, step } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { adds, assistant, crashing, managerOf, ScriptedModel, user } from './support.ts';

/** Delays that are the same in every run. */
const random = mulberry32(1);
const never = { name: 'never', attach() {} };
const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
};

const textsIn = (prompt: string) =>
  [...prompt.matchAll(/<message role="user">([^<]*)</g)].map(([, text]) => text ?? '');
const learns = (prompt: string) => adds(...textsIn(prompt).map((text) => `They said ${text}.`));

/** A model that learns every user message, and throws for prompts that contain one of the given texts. */
const refusing = (fail: () => object | never, ...texts: string[]) =>
  new ScriptedModel((prompt) => (texts.some((text) => prompt.includes(`>${text}<`)) ? fail() : learns(prompt)));

const refuses = (): never => {
  throw new Error('The request was filtered.');
};
const malformed = () => ({ text: 'I cannot help with that.' });

function storesWith(model: ScriptedModel, trigger: object = never) {
  const facts = new InMemoryStore({
    name: 'facts',
    extraction: { trigger: trigger as typeof never, extractor: new ModelExtractor({ model }), deadlineMs: 5_000 },
  });
  const outbox = new InMemoryStore({ name: 'outbox' });
  const start = (options: Partial<MemoryManagerOptions> = {}) => managerOf({ stores: [facts], outbox, ...options });
  return { facts, outbox, start };
}

async function contentsOf(store: RecordStore): Promise<string[]> {
  return (await store.list({ order: 'oldest', limit: 1_000 })).items.map(({ content }) => content);
}

const lettersOf = async (memory: MemoryManager): Promise<readonly DeadLetter[]> => (await memory.deadLetters()).items;
const unsaved = async (outbox: RecordStore) => (await outbox.within(['keepsake-outbox']).list()).items;

/** A process that ends after some calls to its stores. Returns whether its turn was acknowledged before. */
async function endedProcess(facts: RecordStore, outbox: RecordStore, lastCall: number): Promise<boolean> {
  const life = crashing(lastCall);
  const { memory } = managerOf({ stores: [life.of(facts)], outbox: life.of(outbox) });
  const chat = memory.conversation({ id: 'chat' });
  chat.observe(...['fact 0', 'poison', 'fact 1', 'fact 2'].map(user));
  let acknowledged = false;
  chat.endTurn().then(
    () => (acknowledged = true),
    () => {},
  );
  void memory.flush();
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setTimeout(resolve));
  return acknowledged;
}

async function talk(memory: MemoryManager, turns: number, texts: (turn: number) => string, id = 'chat') {
  const chat = memory.conversation({ id });
  for (let turn = 0; turn < turns; turn++) {
    chat.observe(user(texts(turn)), assistant(`Answer ${turn}.`));
    await chat.endTurn();
    await settle();
  }
}

/** How long the conversation is. */
const TURNS = rounds(41, 17);
/** Each message alone, and a few more for the one that is refused. */
const MAX_CALLS = 2 * TURNS + 11;

describe.each([
  ['throws', refuses],
  ['gets an answer that is not JSON', malformed],
] as const)(`one refused message among ${TURNS} turns, whose model call %s`, (_, fail) => {
  const cases = [0, 1, TURNS / 2 - 0.5, TURNS - 2, TURNS - 1].flatMap((at) => [
    { at, trigger: 'each turn', of: () => new InvocationTrigger() },
    { at, trigger: 'every 5 turns', of: () => new IntervalTrigger({ turns: 5 }) },
    { at, trigger: 'flush', of: () => never },
  ]);

  // By day, each trigger and most turns.
  const some = cases.filter((_, n) => n % step(4) === 0);

  it.each(some)('leaves the others saved, one letter and one report: turn $at, $trigger', async ({ at, of }) => {
    const model = refusing(fail, 'poison');
    const { facts, outbox, start } = storesWith(model, of());
    const { memory, reports } = start();
    await talk(memory, TURNS, (turn) => (turn === at ? 'poison' : `fact ${turn}`));
    expect(await memory.flush()).toMatchObject({ facts: { failed: 0 } });
    const others = Array.from({ length: TURNS }, (_, turn) => turn).filter((turn) => turn !== at);
    expect((await contentsOf(facts)).sort()).toEqual(others.map((turn) => `They said fact ${turn}.`).sort());
    expect(model.requests.length).toBeLessThanOrEqual(MAX_CALLS);
    expect(reports).toMatchObject([{ storeName: 'facts', operation: 'extract', count: 1 }]);
    expect(String(reports[0]?.error)).toMatch(/retryDeadLetters/);
    expect(await lettersOf(memory)).toMatchObject([
      { storeName: 'facts', thread: 'chat', message: { role: 'user', content: 'poison' } },
    ]);
    expect(await unsaved(outbox)).toEqual([]);
  });

  it('leaves the others saved and one report without an outbox', async () => {
    const model = refusing(fail, 'poison');
    const { facts } = storesWith(model, new InvocationTrigger());
    const { memory, reports } = managerOf({ stores: [facts] });
    await talk(memory, TURNS, (turn) => (turn === 7 ? 'poison' : `fact ${turn}`));
    await memory.flush();
    expect(await contentsOf(facts)).toHaveLength(TURNS - 1);
    expect(model.requests.length).toBeLessThanOrEqual(MAX_CALLS);
    expect(reports).toMatchObject([{ storeName: 'facts', operation: 'extract', count: 1 }]);
    expect(String(reports[0]?.error)).toMatch(/outbox/);
    expect(await memory.deadLetters()).toEqual({ items: [] });
  });

  it('leaves the others saved after the process was killed and another recovered', async () => {
    const model = refusing(fail, 'poison');
    const { facts, outbox, start } = storesWith(model);
    await talk(start().memory, TURNS, (turn) => (turn === 11 ? 'poison' : `fact ${turn}`));
    // The process ends here, without a flush.
    const { memory, reports } = start();
    expect(await memory.recover()).toEqual({ facts: { saved: 2 * TURNS - 1, failed: 0 } });
    expect(await contentsOf(facts)).toHaveLength(TURNS - 1);
    expect(model.requests.length).toBeLessThanOrEqual(MAX_CALLS);
    expect(reports).toHaveLength(1);
    expect(await lettersOf(memory)).toHaveLength(1);
    expect(await unsaved(outbox)).toEqual([]);
  });
});

describe('answers that are cut at the token limit', () => {
  /** Answers for at most `most` messages. */
  const cutting = (most: number) =>
    new ScriptedModel((prompt) => {
      const count = prompt.match(/<message /g)?.length ?? 0;
      return count > most ? { text: '{"changes":[{"action":"add","con' } : learns(prompt);
    });

  it.each([1, 3, 7])('are avoided with smaller batches: 60 of 60 are saved, for at most %d together', async (most) => {
    const model = cutting(most);
    const { facts, outbox, start } = storesWith(model);
    const { memory, reports } = start();
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(...Array.from({ length: 60 }, (_, index) => user(`fact ${index}`)));
    await chat.endTurn();
    expect(await memory.flush()).toEqual({ facts: { saved: 60, failed: 0 } });
    // In the order of the messages, although they were split.
    expect(await contentsOf(facts)).toEqual(Array.from({ length: 60 }, (_, index) => `They said fact ${index}.`));
    expect(reports).toEqual([]);
    expect(await lettersOf(memory)).toEqual([]);
    expect(await unsaved(outbox)).toEqual([]);
  });

  it('are avoided after the process was killed and another recovered', async () => {
    const { facts, outbox, start } = storesWith(cutting(3));
    await talk(start().memory, 30, (turn) => `fact ${turn}`);
    const { memory } = start();
    expect(await memory.recover()).toEqual({ facts: { saved: 60, failed: 0 } });
    expect(await contentsOf(facts)).toHaveLength(30);
    expect(await unsaved(outbox)).toEqual([]);
  });
});

describe('a model that is down', () => {
  /** A model that fails until `isUp` is set. */
  function failing(fail: () => never) {
    const state = { isUp: false };
    const model = new ScriptedModel((prompt) => (state.isUp ? learns(prompt) : fail()));
    return { state, model };
  }

  const failures: readonly [string, () => never][] = [
    ['an unknown error', () => new Error('fetch failed')],
    [
      'ECONNREFUSED',
      () => Object.assign(new Error('no'), { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) }),
    ],
    ['a status of 429', () => Object.assign(new Error('slow down'), { status: 429 })],
    ['a status of 401', () => Object.assign(new Error('bad key'), { statusCode: 401 })],
    ['a status of 500', () => Object.assign(new Error('sorry'), { status: 500 })],
    ['a retryable MemoryError', () => new MemoryError('BACKEND', 'Later.', { retryable: true })],
    [
      'a MemoryError for a wrong key',
      () => new MemoryError('BACKEND', 'No.', { retryable: false, cause: { status: 401 } }),
    ],
  ].map(([name, make]) => [
    name as string,
    () => {
      throw (make as () => Error)();
    },
  ]);

  it.each(failures)('loses nothing and leaves no letter, with or without an outbox: %s', async (_, fail) => {
    for (const kept of [true, false]) {
      const { state, model } = failing(fail);
      const { facts, outbox, start } = storesWith(model, new InvocationTrigger());
      const { memory } = start(kept ? {} : { outbox: undefined });
      await talk(memory, 12, (turn) => `fact ${turn}`);
      expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 24 } });
      expect(await lettersOf(memory)).toEqual([]);
      state.isUp = true;
      expect(await memory.flush()).toEqual({ facts: { saved: 24, failed: 0 } });
      expect(await contentsOf(facts)).toEqual(Array.from({ length: 12 }, (_, turn) => `They said fact ${turn}.`));
      expect(await lettersOf(memory)).toEqual([]);
      expect(await unsaved(outbox)).toEqual([]);
      // Messages that belong together are learned from together again.
      expect(model.requests.at(-1)?.prompt.match(/<message /g)).toHaveLength(24);
    }
  });

  it('is told from a message that it answers with a status of 500 each time', async () => {
    const model = refusing(() => {
      throw Object.assign(new Error('sorry'), { status: 500 });
    }, 'poison');
    const { facts, outbox, start } = storesWith(model, new InvocationTrigger());
    const { memory } = start();
    await talk(memory, 12, (turn) => (turn === 3 ? 'poison' : `fact ${turn}`));
    await memory.flush();
    expect(await contentsOf(facts)).toHaveLength(11);
    expect((await lettersOf(memory)).map(({ message }) => message.content)).toEqual(['poison']);
    expect(await unsaved(outbox)).toEqual([]);
  });

  it('loses nothing if it goes down and comes back while messages are tried alone', async () => {
    for (let upAfter = 0; upAfter < 24; upAfter += step(3)) {
      let calls = 0;
      const model = new ScriptedModel((prompt) => {
        calls++;
        if (prompt.includes('>poison<') || (calls > upAfter && calls < upAfter + 9)) throw new Error('failed');
        return learns(prompt);
      });
      const { facts, outbox, start } = storesWith(model);
      const { memory } = start();
      await talk(memory, 8, (turn) => (turn === 3 ? 'poison' : `fact ${turn}`));
      for (let flushes = 0; flushes < 6; flushes++) await memory.flush();
      const learned = (await contentsOf(facts)).sort();
      expect([upAfter, learned]).toEqual([upAfter, [0, 1, 2, 4, 5, 6, 7].map((turn) => `They said fact ${turn}.`)]);
      const letters = (await lettersOf(memory)).map(({ message }) => message.content);
      expect([upAfter, letters]).toEqual([upAfter, ['poison']]);
      expect(await unsaved(outbox)).toEqual([]);
    }
  });

  it('is asked few times per save', async () => {
    const { model } = failing(refuses);
    const { start } = storesWith(model, new InvocationTrigger());
    const { memory, reports } = start({ outbox: undefined });
    await talk(memory, 30, (turn) => `fact ${turn}`);
    // 10 saves, then every third of the 20 other turns.
    expect(reports.length).toBeLessThanOrEqual(10 + 7);
    expect(reports.length).toBeGreaterThan(0);
    expect(model.requests.length).toBeLessThan(100);
  });

  it.each(failures.filter(([name]) => !/unknown|500/.test(name)))(
    'is asked once per save if its error says so: %s',
    async (_, fail) => {
      const { model } = failing(fail);
      const { start } = storesWith(model);
      const { memory, reports } = start();
      await talk(memory, 12, (turn) => `fact ${turn}`);
      for (let flushes = 1; flushes < 6; flushes++) {
        expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 24 } });
        expect(model.requests).toHaveLength(flushes);
        expect(reports).toHaveLength(flushes);
        expect(reports.at(-1)).toMatchObject({ storeName: 'facts', operation: 'extract', count: 24 });
      }
    },
  );

  it('that recovers does not make a store that is down lose messages', async () => {
    const { state, model } = failing(refuses);
    const { facts, outbox, start } = storesWith(model);
    const { memory, reports } = start();
    await talk(memory, 3, (turn) => `fact ${turn}`);
    await memory.flush();
    state.isUp = true;
    const { put } = facts;
    facts.put = async () => {
      throw new MemoryError('BACKEND', 'The disk is full.');
    };
    for (let flushes = 0; flushes < 5; flushes++)
      expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 6 } });
    expect(reports.at(-1)).toMatchObject({ error: { message: 'The disk is full.' }, count: 6 });
    facts.put = put;
    const before = model.requests.length;
    expect(await memory.flush()).toEqual({ facts: { saved: 6, failed: 0 } });
    expect(model.requests).toHaveLength(before);
    expect(await lettersOf(memory)).toEqual([]);
    expect(await unsaved(outbox)).toEqual([]);
  });
});

describe('a model that fails one call in five', () => {
  it.each([
    ['529', { status: 529 }],
    ['503', { statusCode: 503 }],
    ['500', { response: { status: 500 } }],
    ['408', { code: 408 }],
  ])('learns every message, however the failures fall: status %s', async (_, fields) => {
    for (let seed = 1; seed <= rounds(20, 2); seed++) {
      const luck = mulberry32(seed);
      const model = new ScriptedModel((prompt) => {
        if (luck() < 0.2) throw Object.assign(new Error('Overloaded.'), fields);
        return learns(prompt);
      });
      const { facts, outbox, start } = storesWith(model, new InvocationTrigger());
      const { memory } = start();
      await talk(memory, 40, (turn) => `fact ${turn}`);
      for (let flushes = 0; flushes < 10; flushes++) await memory.flush();
      expect([seed, await lettersOf(memory)]).toEqual([seed, []]);
      expect([seed, (await contentsOf(facts)).length]).toEqual([seed, 40]);
      expect(await unsaved(outbox)).toEqual([]);
    }
  });
});

describe('a message that its provider refuses for certain', () => {
  it.each([
    ['status 400', () => Object.assign(new Error('filtered'), { status: 400 })],
    ['status 422 of a cause', () => new Error('failed', { cause: { statusCode: 422 } })],
    ['status 400 of a response', () => Object.assign(new Error('bad'), { response: { status: 400 } })],
    ['status 413 of AWS', () => Object.assign(new Error('large'), { $metadata: { httpStatusCode: 413 } })],
    ['not retryable', () => new MemoryError('BACKEND', 'Refused.', { retryable: false })],
    ['INVALID_ARGUMENT', () => new MemoryError('INVALID_ARGUMENT', 'Refused.')],
  ])('is given up even if there is no other: %s', async (_, make) => {
    const model = refusing(() => {
      throw make();
    }, 'poison');
    const { outbox, start } = storesWith(model);
    const { memory, reports } = start();
    memory.conversation({ id: 'chat' }).observe(user('poison'));
    await memory.conversation({ id: 'chat' }).endTurn();
    expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 0 } });
    expect(model.requests.length).toBeLessThanOrEqual(3);
    expect(reports).toHaveLength(1);
    expect(await lettersOf(memory)).toMatchObject([{ error: { message: make().message } }]);
    expect(await unsaved(outbox)).toEqual([]);
  });
});

describe('a refused message', () => {
  it('that is the only one waits until the model answers another conversation', async () => {
    const model = refusing(refuses, 'poison');
    const { facts, start } = storesWith(model);
    const { memory } = start();
    memory.conversation({ id: 'a' }).observe(user('poison'));
    expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 1 } });
    expect(await lettersOf(memory)).toEqual([]);
    memory.conversation({ id: 'b' }).observe(user('fact'));
    expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(await lettersOf(memory)).toMatchObject([{ thread: 'a' }]);
    expect(await contentsOf(facts)).toEqual(['They said fact.']);
  });

  it('costs no model call per later turn', async () => {
    const model = refusing(refuses, 'poison');
    const { start } = storesWith(model, new InvocationTrigger());
    const { memory } = start();
    await talk(memory, 3, (turn) => (turn === 0 ? 'poison' : `fact ${turn}`));
    await memory.flush();
    const before = model.requests.length;
    await talk(memory, 20, (turn) => `more ${turn}`);
    await memory.flush();
    expect(model.requests.length).toBeLessThanOrEqual(before + 20);
    expect(model.requests.slice(before).filter(({ prompt }) => prompt.includes('>poison<'))).toEqual([]);
  });

  it('is found among many', async () => {
    const bad = Array.from({ length: 15 }, (_, index) => `poison ${index}`);
    const model = refusing(refuses, ...bad);
    const { facts, outbox, start } = storesWith(model);
    const { memory, reports } = start();
    // A conversation that begins with 12 refused messages and has others in between.
    const texts = [...bad.slice(0, 12), 'fact 0', bad[12], 'fact 1', bad[13], bad[14], 'fact 2'] as string[];
    memory.conversation({ id: 'chat' }).observe(...texts.map(user));
    await memory.conversation({ id: 'chat' }).endTurn();
    expect(await memory.flush()).toEqual({ facts: { saved: 3, failed: 0 } });
    expect(await contentsOf(facts)).toEqual(['They said fact 0.', 'They said fact 1.', 'They said fact 2.']);
    expect((await lettersOf(memory)).map(({ message }) => message.content).sort()).toEqual([...bad].sort());
    expect(reports).toHaveLength(15);
    expect(await unsaved(outbox)).toEqual([]);
  });

  it('does not hold up a second store, which learns it', async () => {
    const model = refusing(refuses, 'poison');
    const { facts, outbox } = storesWith(model);
    const words = new InMemoryStore({ name: 'words', extraction: { trigger: never } });
    const { memory } = managerOf({ stores: [facts, words], outbox });
    await talk(memory, 5, (turn) => (turn === 2 ? 'poison' : `fact ${turn}`));
    expect(await memory.flush()).toEqual({ facts: { saved: 9, failed: 0 }, words: { saved: 10, failed: 0 } });
    expect(await contentsOf(words)).toContain('poison');
    expect(await lettersOf(memory)).toMatchObject([{ storeName: 'facts' }]);
    expect(await unsaved(outbox)).toEqual([]);
  });

  it('leaves one letter and loses nothing, whenever the process ends', async () => {
    // The process ends after each possible number of calls to the stores.
    for (let last = 0; last < 60; last += step(4)) {
      const model = refusing(refuses, 'poison');
      const { facts, outbox } = storesWith(model);
      const acknowledged = await endedProcess(facts, outbox, last);

      const { memory } = managerOf({ stores: [facts], outbox });
      await memory.recover();
      if (!acknowledged) continue;
      // If the first process had saved the others, this one can't tell the refusal from an outage before a new message.
      memory.conversation({ id: 'later' }).observe(user('fact 3'));
      expect(await memory.flush()).toMatchObject({ facts: { failed: 0 } });
      const learned = (await contentsOf(facts)).sort();
      expect([last, learned]).toEqual([last, [0, 1, 2, 3].map((index) => `They said fact ${index}.`)]);
      expect([last, (await lettersOf(memory)).length]).toEqual([last, 1]);
      expect(await unsaved(outbox)).toEqual([]);
    }
  });

  it('leaves one letter if several managers recover at once, and the others are learned once', async () => {
    for (let round = 0; round < rounds(10, 3); round++) {
      let answers = 0;
      const model = new ScriptedModel(async (prompt) => {
        await new Promise((resolve) => setTimeout(resolve, random() * 3));
        if (prompt.includes('>poison<')) throw new Error('The request was filtered.');
        return adds(...textsIn(prompt).map((text) => `${text} (wording ${answers++})`));
      });
      const { facts, outbox, start } = storesWith(model);
      const [live, other, third] = [start().memory, start().memory, start().memory];
      await talk(live, 10, (turn) => (turn === 4 ? 'poison' : `fact ${turn}`));
      await Promise.all([live.flush(), other.recover(), third.recover()]);
      for (let left = 4; left > 0; left--) for (const memory of [live, other, third]) await memory.flush();
      const learned = (await contentsOf(facts)).map((content) => content.replace(/ \(.*/, ''));
      expect([round, learned.sort()]).toEqual([round, [0, 1, 2, 3, 5, 6, 7, 8, 9].map((turn) => `fact ${turn}`)]);
      expect(await lettersOf(third)).toHaveLength(1);
      expect(await unsaved(outbox)).toEqual([]);
    }
  });
});

it('a refused message is learned or given up once by two managers that recover it at once', async () => {
  for (let last = 0; last < 60; last += step(4)) {
    let [refuses, answers] = [true, 0];
    const model = new ScriptedModel(async (prompt) => {
      if (refuses && prompt.includes('>poison<')) throw new Error('The request was filtered.');
      const answer = adds(...textsIn(prompt).map((text) => `${text} (wording ${answers++})`));
      if (!refuses) await new Promise((resolve) => setTimeout(resolve, random() * 3));
      return answer;
    });
    const { facts, outbox, start } = storesWith(model);
    const acknowledged = await endedProcess(facts, outbox, last);
    refuses = false;
    if (!acknowledged) continue;
    const [second, third] = [start().memory, start().memory];
    await Promise.all([second.recover(), third.recover()]);
    for (let left = 3; left > 0; left--) for (const memory of [second, third]) await memory.flush();
    const letters = (await lettersOf(second)).map(({ message }) => message.content);
    const learned = (await contentsOf(facts)).map((content) => content.replace(/ \(.*/, ''));
    expect([last, [...letters, ...learned].sort()]).toEqual([last, ['fact 0', 'fact 1', 'fact 2', 'poison']]);
    expect(await unsaved(outbox)).toEqual([]);
  }
});

describe('a message that a store refuses for good', () => {
  it('becomes a dead letter, and keeps its place when it is saved later', async () => {
    const talk = new InMemoryStore({ name: 'talk', extraction: { trigger: never } });
    const outbox = new InMemoryStore({ name: 'outbox' });
    const { memory, reports } = managerOf({ stores: [talk], outbox });
    const chat = memory.conversation({ id: 'chat' });
    const large = 'x'.repeat(1_100_000);
    chat.observe(user('one'), user(large), user('three'));
    await chat.endTurn();
    expect(await memory.flush()).toEqual({ talk: { saved: 2, failed: 0 } });
    expect(reports).toMatchObject([
      { storeName: 'talk', operation: 'extract', count: 1, error: { code: 'TOO_LARGE' } },
    ]);
    expect(await lettersOf(memory)).toMatchObject([{ storeName: 'talk', error: { code: 'TOO_LARGE' } }]);
    expect(await unsaved(outbox)).toEqual([]);
    expect(await memory.retryDeadLetters()).toEqual({ talk: { saved: 0, failed: 1 } });
    // It is saved once the store accepts it.
    const { addMessages } = talk;
    talk.addMessages = (messages, context) =>
      addMessages.call(
        talk,
        messages.map(({ role, content }) => ({ role, content: String(content).slice(0, 5) })),
        context,
      );
    expect(await memory.retryDeadLetters()).toEqual({ talk: { saved: 1, failed: 0 } });
    expect(await lettersOf(memory)).toEqual([]);
    const { items } = await talk.list();
    const byTurn = [...items].sort((a, b) => (a.turn?.index ?? 0) - (b.turn?.index ?? 0));
    expect(byTurn.map(({ content }) => content)).toEqual(['one', 'xxxxx', 'three']);
    expect(new Set(items.map(({ turn }) => turn?.thread))).toEqual(new Set(['chat']));
  });
});

describe('facts that a store refuses for good', () => {
  /** A store of facts that refuses some contents, and a manager that learns each message as one or two facts. */
  function picky(model: ScriptedModel) {
    const { facts, outbox, start } = storesWith(model);
    const state = { refuses: (_content: string): boolean => true };
    const put = facts.put.bind(facts);
    facts.put = async (record, options) => {
      if (state.refuses(record.content)) throw new MemoryError('INVALID_ARGUMENT', 'Never.');
      return put(record, options);
    };
    return { facts, outbox, state, ...start() };
  }

  async function learn(memory: MemoryManager, ...texts: string[]) {
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(...texts.map(user));
    await chat.endTurn();
    return memory.flush();
  }

  it('make their messages dead letters if none of them is stored, without another model call', async () => {
    const model = new ScriptedModel(learns);
    const { facts, outbox, state, memory, reports } = picky(model);
    expect(await learn(memory, 'one', 'two')).toEqual({ facts: { saved: 0, failed: 0 } });
    expect(await contentsOf(facts)).toEqual([]);
    const refused = { storeName: 'facts', operation: 'extract', count: 1, error: { code: 'INVALID_ARGUMENT' } };
    expect(reports).toMatchObject([refused, refused]);
    expect(await lettersOf(memory)).toMatchObject([{ message: user('one') }, { message: user('two') }]);
    expect(await unsaved(outbox)).toEqual([]);
    expect(model.requests).toHaveLength(1);
    expect(await memory.retryDeadLetters()).toEqual({ facts: { saved: 0, failed: 2 } });
    state.refuses = () => false;
    expect(await memory.retryDeadLetters()).toEqual({ facts: { saved: 2, failed: 0 } });
    expect(await contentsOf(facts)).toEqual(['They said one.', 'They said two.']);
    expect(await lettersOf(memory)).toEqual([]);
  });

  it('leave a dead letter that is tried again in place, also if others of its facts are stored', async () => {
    let wording = 0;
    const model = new ScriptedModel(() => adds(`Good fact (wording ${wording++})`, `Odd fact (wording ${wording})`));
    const { facts, state, memory } = picky(model);
    await learn(memory, 'one');
    state.refuses = (content) => content.startsWith('Odd');
    expect(await memory.retryDeadLetters()).toEqual({ facts: { saved: 0, failed: 1 } });
    expect(await memory.retryDeadLetters()).toEqual({ facts: { saved: 0, failed: 1 } });
    expect(await lettersOf(memory)).toMatchObject([{ error: { code: 'INVALID_ARGUMENT', message: 'Never.' } }]);
    state.refuses = () => false;
    expect(await memory.retryDeadLetters()).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(await contentsOf(facts)).toEqual(['Good fact (wording 1)', 'Odd fact (wording 2)']);
    expect(await lettersOf(memory)).toEqual([]);
  });

  it('make each message a dead letter once if the process ends at any moment', async () => {
    const model = new ScriptedModel(learns);
    for (let last = 1; last <= 40; last += step(4)) {
      const { facts, outbox, start } = storesWith(model);
      facts.put = async () => Promise.reject(new MemoryError('INVALID_ARGUMENT', 'Never.'));
      const acknowledged = await endedProcess(facts, outbox, last);
      if (!acknowledged) continue;
      const { memory } = start();
      await memory.recover();
      const letters = (await lettersOf(memory)).map(({ message }) => message.content).sort();
      expect([last, letters]).toEqual([last, ['fact 0', 'fact 1', 'fact 2', 'poison']]);
      expect(await contentsOf(facts)).toEqual([]);
      expect(await unsaved(outbox)).toEqual([]);
    }
  });
});

describe('a dead letter', () => {
  /** A manager with one letter per poisonous text. */
  async function dead(...texts: string[]) {
    const state = { refuses: true };
    const model = new ScriptedModel((prompt) => {
      if (state.refuses && texts.some((text) => prompt.includes(`>${text}<`)))
        throw new Error('The request was filtered.');
      return learns(prompt);
    });
    const stores = storesWith(model);
    const { memory } = stores.start();
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('fact'), ...texts.map(user));
    await chat.endTurn();
    await memory.flush();
    return { ...stores, memory, state, letters: await lettersOf(memory) };
  }

  it('says which message failed, where, when and why', async () => {
    const { letters } = await dead('poison');
    expect(letters).toEqual([
      {
        id: expect.any(String),
        storeName: 'facts',
        thread: 'chat',
        message: user('poison'),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        failedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        error: { message: 'The request was filtered.' },
      },
    ]);
  });

  it('is removed when its message is saved in a retry', async () => {
    const { facts, memory, state, letters, start } = await dead('poison 1', 'poison 2');
    state.refuses = false;
    expect(await memory.retryDeadLetters([letters[1]?.id as string, 'unknown'])).toEqual({
      facts: { saved: 1, failed: 0 },
    });
    expect((await lettersOf(memory)).map(({ message }) => message.content)).toEqual(['poison 1']);
    // Another process can do it as well.
    const next = start().memory;
    expect(await next.retryDeadLetters()).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(await lettersOf(memory)).toEqual([]);
    expect(await contentsOf(facts)).toEqual(['They said fact.', 'They said poison 2.', 'They said poison 1.']);
    const { items } = await facts.list({ order: 'oldest' });
    expect(new Set(items.map(({ metadata }) => metadata.sourceRun)).size).toBe(1);
    expect(items.map(({ metadata }) => metadata.sourceThread)).toEqual(['chat', 'chat', 'chat']);
  });

  /** Letters of three messages, and a model that learns each with other words every time. */
  async function deadThenReworded() {
    let [refuses, answers] = [true, 0];
    const model = new ScriptedModel(async (prompt) => {
      if (prompt.includes('>poison') && refuses) throw new Error('The request was filtered.');
      await new Promise((resolve) => setTimeout(resolve, random() * 3));
      return adds(...textsIn(prompt).map((text) => `${text} (wording ${answers++})`));
    });
    const stores = storesWith(model);
    const { memory } = stores.start();
    const texts = ['poison 1', 'poison 2', 'poison 3'];
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(user('fact'), ...texts.map(user));
    await chat.endTurn();
    await memory.flush();
    expect(await lettersOf(memory)).toHaveLength(3);
    refuses = false;
    const learned = async () =>
      (await contentsOf(stores.facts)).slice(1).map((content) => content.replace(/ \(.*/, ''));
    return { ...stores, memory, texts, learned };
  }

  it('is learned once if several managers retry at once', async () => {
    for (let round = 0; round < rounds(10, 3); round++) {
      const { memory, outbox, start, texts, learned } = await deadThenReworded();
      const others = [start().memory, start().memory];
      const results = await Promise.all([memory, ...others].map((one) => one.retryDeadLetters()));
      for (const { facts } of results) expect(facts?.failed).toBe(0);
      expect((await learned()).sort()).toEqual(texts);
      expect((await outbox.namespaces()).items).toEqual([]);
    }
  });

  it('is learned once, whenever the process that retries ends', async () => {
    // The process ends after each possible number of calls to the stores.
    for (let last = 0; last < 40; last += step(4)) {
      const { memory, facts, outbox, texts, learned } = await deadThenReworded();
      const life = crashing(last);
      const { memory: first } = managerOf({ stores: [life.of(facts)], outbox: life.of(outbox) });
      void first.retryDeadLetters().catch(() => {});
      for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setTimeout(resolve));
      await memory.retryDeadLetters();
      expect([last, (await learned()).sort()]).toEqual([last, texts]);
      expect(await lettersOf(memory)).toEqual([]);
      expect((await outbox.namespaces()).items).toEqual([]);
    }
  });

  it('is kept with a new time when its message fails again', async () => {
    const { memory, letters } = await dead('poison');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await memory.retryDeadLetters()).toEqual({ facts: { saved: 0, failed: 1 } });
    const [again, ...others] = await lettersOf(memory);
    expect(others).toEqual([]);
    expect(again).toEqual({ ...letters[0], failedAt: again?.failedAt });
    expect(again?.failedAt.localeCompare(letters[0]?.failedAt ?? '')).toBe(1);
  });

  it('can be deleted', async () => {
    const { memory, letters, outbox } = await dead('poison 1', 'poison 2', 'poison 3');
    expect(await memory.deleteDeadLetters([letters[0]?.id as string, 'unknown'])).toBe(1);
    expect(await lettersOf(memory)).toHaveLength(2);
    expect(await memory.deleteDeadLetters()).toBe(2);
    expect(await lettersOf(memory)).toEqual([]);
    expect((await outbox.namespaces()).items).toEqual([]);
  });

  it('is listed page by page, oldest first, without those of other managers', async () => {
    const texts = Array.from({ length: 25 }, (_, index) => `poison ${index}`);
    const { memory, outbox } = await dead(...texts);
    const bob = new InMemoryStore({
      name: 'facts',
      namespace: ['u', 'bob'],
      extraction: { trigger: never, extractor: new ModelExtractor({ model: refusing(refuses, 'secret') }) },
    });
    const bobs = managerOf({ stores: [bob], outbox }).memory;
    bobs.conversation({ id: 'chat' }).observe(user('fact'), user('secret'));
    await bobs.flush();
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await memory.deadLetters({ limit: 10, cursor });
      seen.push(...page.items.map(({ message }) => String(message.content)));
      sizes.push(page.items.length);
      cursor = page.cursor;
    }
    expect(seen.sort()).toEqual([...texts].sort());
    expect(sizes.slice(0, 3)).toEqual([10, 10, 5]);
    const letters = await lettersOf(bobs);
    expect(letters.map(({ message }) => message.content)).toEqual(['secret']);
    // Neither can touch those of the other.
    expect(await memory.deleteDeadLetters(letters.map(({ id }) => id))).toBe(0);
    expect(await memory.retryDeadLetters(letters.map(({ id }) => id))).toEqual({ facts: { saved: 0, failed: 0 } });
    await expect(memory.deadLetters({ limit: 0 })).rejects.toThrow(/limit/);
    await expect(memory.deadLetters({ limt: 5 } as object)).rejects.toThrow(/Did you mean `limit`/);
  });

  it('can hold a message of 3 MB', async () => {
    const large = 'ä'.repeat(1_500_000);
    const model = new ScriptedModel((prompt) => {
      if (prompt.includes('ääää')) throw new Error('x'.repeat(10_000));
      return learns(prompt);
    });
    const { start } = storesWith(model);
    const { memory } = start();
    memory.conversation({ id: 'chat' }).observe(user(large), user('fact'));
    await memory.conversation({ id: 'chat' }).endTurn();
    expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    const [letter] = await lettersOf(memory);
    expect(letter?.message.content === large).toBe(true);
    expect(letter?.error.message).toHaveLength(500);
    expect(await memory.deleteDeadLetters()).toBe(1);
  });
});

it('a refused message is not lost while its turn is being written to the outbox', async () => {
  const [turn, state] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let alone = 0;
  const model = new ScriptedModel(async (prompt) => {
    if (!prompt.includes('>poison<')) return learns(prompt);
    if (textsIn(prompt).length === 1 && ++alone === 2) {
      // The turn is in the outbox from now on, but what is known of its messages is not.
      turn.resolve();
      await settle();
    }
    return refuses();
  });
  const { facts, outbox } = storesWith(model, {
    name: 'on-messages',
    attach: ({ conversation, fire }: { conversation: { onMessages(listener: () => void): void }; fire(): void }) =>
      conversation.onMessages(fire),
  });
  const within = outbox.within.bind(outbox);
  outbox.within = (...place) => {
    const store = within(...place);
    const { put, putMany } = store;
    if (place[0].length > 1) return store;
    store.putMany = async (...input) => {
      await turn.promise;
      return putMany.apply(store, input);
    };
    store.put = async (...input) => {
      await state.promise;
      return put.apply(store, input);
    };
    return store;
  };
  const { memory } = managerOf({ stores: [facts], outbox });
  const chat = memory.conversation({ id: 'chat' });
  chat.observe(user('fact 0'), user('poison'), user('fact 1'));
  const ended = chat.endTurn();
  await turn.promise;
  for (let time = 0; time < 5; time++) await settle();
  state.resolve();
  await ended;
  expect(await memory.flush()).toMatchObject({ facts: { failed: 0 } });
  expect((await contentsOf(facts)).sort()).toEqual(['They said fact 0.', 'They said fact 1.']);
  expect(await lettersOf(memory)).toHaveLength(1);
  expect(await unsaved(outbox)).toEqual([]);
});
