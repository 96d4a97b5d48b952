import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it, vi } from 'vitest';
import { type ExtractionBatch, InvocationTrigger, MemoryError, type Message } from '../../src/index.ts';
import { expectSaved } from '../../src/manager/extraction/flush-result.ts';
import { adds, assistant, extractionOf, MessageStore, ScriptedModel, TextStore, user } from './support/extraction.ts';

const each = { trigger: new InvocationTrigger() };
const never = { trigger: { name: 'never', attach() {} } };
const settle = () => new Promise<void>((resolve) => setTimeout(resolve));

function down(): never {
  throw new Error('down');
}

describe('saved messages', () => {
  it('are each saved once, with their number, run and thread', async () => {
    const store = new MessageStore('facts', never);
    const { extraction } = extractionOf({ stores: [store] });
    const chat = extraction.conversation('chat');
    chat.observe([user('one'), assistant('two')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
    chat.observe([user('three')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(await extraction.flush()).toEqual({ facts: { saved: 0, failed: 0 } });
    const [first, second] = store.calls.map(({ context }) => context);
    const [number] = first?.sequenceNumbers ?? [];
    expect(store.texts).toEqual(['one', 'two', 'three']);
    expect(first).toEqual({ sequenceNumbers: [number, Number(number) + 1], runId: first?.runId, thread: 'chat' });
    expect(second).toEqual({ ...first, sequenceNumbers: [Number(number) + 2] });
  });

  it('exclude tool calls and results by default, whose numbers are not reused', async () => {
    const store = new MessageStore('facts', never);
    const { extraction } = extractionOf({ stores: [store] });
    const use = { toolUse: { name: 'clock', toolUseId: '1', input: {} } };
    extraction
      .conversation('chat')
      .observe([
        user('Tell me the time.'),
        { role: 'assistant', content: [{ text: 'Let me look' }, use] },
        { role: 'user', content: [{ toolResult: { toolUseId: '1', content: [{ text: '5 pm' }] } }] },
        { role: 'tool', content: '5 pm' },
        { role: 'assistant', content: [use] },
        assistant('5 pm'),
      ]);
    await extraction.flush();
    const [call] = store.calls;
    expect(call?.texts).toEqual(['Tell me the time.', 'Let me look', '5 pm']);
    const first = call?.context?.sequenceNumbers?.[0] as number;
    expect(call?.context?.sequenceNumbers).toEqual([first, first + 1, first + 5]);
  });

  it('are those that pass the filter of their store', async () => {
    const filter = (message: Message) => {
      (message as { content: string }).content += ' (seen)';
      return message.role === 'user' ? message : undefined;
    };
    const [filtered, whole] = [new MessageStore('filtered', { ...never, filter }), new MessageStore('whole', never)];
    const { extraction } = extractionOf({ stores: [filtered, whole] });
    extraction.conversation('chat').observe([user('one'), assistant('two')]);
    await extraction.flush();
    expect(filtered.texts).toEqual(['one (seen)']);
    expect(whole.texts).toEqual(['one', 'two']);
  });

  it('are copies of the observed messages', async () => {
    const store = new MessageStore('facts', never);
    const { extraction } = extractionOf({ stores: [store] });
    const block = { text: 'one' };
    const message = { role: 'user', content: [block, { image: { bytes: new Uint8Array(4) } }] } as const;
    extraction.conversation('chat').observe([message]);
    block.text = 'two';
    await extraction.flush();
    expect(store.texts).toEqual(['one']);
  });

  it('are refused if they are invalid', () => {
    const { extraction } = extractionOf({ stores: [new MessageStore('facts')] });
    const chat = extraction.conversation('chat');
    const refused = memoryError('INVALID_ARGUMENT', /Message 1 .* \{ role, content \}/);
    for (const message of [null, undefined, 'hello', {}, { role: 'God', content: 'x' }, { role: 'user', content: 5 }]) {
      expect(() => chat.observe([user('one'), message as Message])).toThrow(refused);
    }
    expect(() => extraction.conversation('')).toThrow(memoryError('INVALID_ARGUMENT', /conversation/));
  });

  it('are saved one batch at a time, in order', async () => {
    const store = new MessageStore('facts', each);
    let running = 0;
    let most = 0;
    store.before = async () => {
      most = Math.max(most, ++running);
      await settle();
      running--;
    };
    const { extraction } = extractionOf({ stores: [store] });
    const said = Array.from({ length: 30 }, (_, turn) => `turn ${turn}`);
    for (const text of said) {
      extraction.conversation('a').observe([user(`a ${text}`)]);
      extraction.conversation('b').observe([user(`b ${text}`)]);
      await Promise.all([extraction.conversation('a').endTurn(), extraction.conversation('b').endTurn()]);
      if (text.endsWith('5')) await settle();
    }
    await extraction.flush();
    expect(most).toBe(1);
    for (const id of ['a', 'b']) {
      expect(store.texts.filter((text) => text.startsWith(id))).toEqual(said.map((text) => `${id} ${text}`));
    }
  });

  it('are saved in batches that a model can read', async () => {
    const store = new MessageStore('facts', never);
    const { extraction } = extractionOf({ stores: [store] });
    const texts = Array.from({ length: 250 }, (_, index) => `${index} ${'x'.repeat(index < 5 ? 15_000 : 1)}`);
    texts.push('y'.repeat(100_000), 'end');
    extraction.conversation('chat').observe(texts.map(user));
    await extraction.flush();
    expect(store.texts).toEqual(texts);
    for (const call of store.calls) {
      expect(call.texts.length).toBeLessThanOrEqual(100);
      if (call.texts.length > 1) expect(call.texts.join('').length).toBeLessThanOrEqual(40_000);
    }
  });

  it('are distilled into facts with their sources if the store has only add()', async () => {
    const store = new TextStore('facts', never);
    const model = new ScriptedModel(adds('Likes tea', 'likes TEA!', 'Has a cat'));
    const { extraction } = extractionOf({ stores: [store], model });
    extraction.conversation('chat').observe([user('I like tea, and I have a cat')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(store.added.map(({ content }) => content)).toEqual(['Likes tea', 'Has a cat']);
    const { sourceRun, sourceFirst: number } = store.added[0]?.metadata ?? {};
    expect(store.added[0]?.metadata).toEqual({
      sourceThread: 'chat',
      sourceRun,
      sourceFirst: number,
      sourceLast: number,
    });
  });
});

describe('a failing store', () => {
  it('gets the same batch again, without another model call', async () => {
    const store = new TextStore('facts', never);
    const model = new ScriptedModel(adds('one', 'two', 'three'), adds('four'));
    const { extraction, reports } = extractionOf({ stores: [store], model });
    let calls = 0;
    store.before = () => (++calls === 2 ? down() : undefined);
    extraction.conversation('chat').observe([user('a'), user('b')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 0, failed: 2 } });
    expect(reports).toMatchObject([{ storeName: 'facts', operation: 'extract', count: 2, error: { message: 'down' } }]);
    extraction.conversation('chat').observe([user('c')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 3, failed: 0 } });
    expect(store.added.map(({ content }) => content)).toEqual(['one', 'two', 'three', 'four']);
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.prompt).not.toContain('>a<');
  });

  it('makes flush reject with throwOnFailure, with the store name and no content', async () => {
    const [good, bad] = [new MessageStore('good', never), new MessageStore('bad', never)];
    bad.before = down;
    const { extraction } = extractionOf({ stores: [good, bad] });
    extraction.conversation('chat').observe([user('sentinel')]);
    const thrown = await extraction
      .flush()
      .then(expectSaved)
      .catch((error: Error) => error);
    expect(thrown).toEqual(memoryError('BACKEND', /these stores: "bad" \(1\)\./));
    expect(String(thrown)).not.toMatch(/sentinel|good/);
    bad.before = () => undefined;
    expect(await extraction.flush()).toEqual({
      good: { saved: 0, failed: 0 },
      bad: { saved: 1, failed: 0 },
    });
  });

  it('loses nothing, and neither does a fast store beside it', async () => {
    const [fast, slow] = [new MessageStore('fast', each), new MessageStore('slow', each)];
    let calls = 0;
    slow.before = async () => {
      await settle();
      if (++calls % 3 !== 0) down();
    };
    const { extraction } = extractionOf({ stores: [slow, fast] });
    const chat = extraction.conversation('chat');
    const said: string[] = [];
    for (let turn = 0; turn < 60; turn++) {
      said.push(`question ${turn}`, `answer ${turn}`);
      chat.observe([user(`question ${turn}`), assistant(`answer ${turn}`)]);
      await chat.endTurn();
      if (turn % 4 === 0) await settle();
    }
    for (let flushed = await extraction.flush(); flushed.slow?.failed; flushed = await extraction.flush()) {
      expect(flushed.fast?.failed).toBe(0);
    }
    expect(fast.texts).toEqual(said);
    expect(slow.texts).toEqual(said);
  });

  it('is tried only at every third request after 10 failures, and at every flush', async () => {
    const store = new MessageStore('facts', each);
    let attempts = 0;
    store.before = () => {
      attempts++;
      down();
    };
    const { extraction, reports } = extractionOf({ stores: [store] });
    const chat = extraction.conversation('chat');
    const attemptsAtTurn: number[] = [];
    const turn = async () => {
      const before = attempts;
      chat.observe([user('one')]);
      await chat.endTurn();
      await settle();
      attemptsAtTurn.push(attempts - before);
    };
    for (let count = 0; count < 19; count++) await turn();
    expect(attemptsAtTurn.join('')).toBe('1111111111001001001');
    expect(reports).toHaveLength(13);
    await extraction.flush();
    expect(attempts).toBe(14);
    store.before = () => void attempts++;
    await turn();
    await turn();
    expect(store.calls).toHaveLength(0);
    await turn();
    expect(store.texts).toHaveLength(22);
    await turn();
    expect(store.texts).toHaveLength(23);
  });

  it('is probed with one conversation, not with all of them', async () => {
    const store = new MessageStore('facts', each);
    let attempts = 0;
    store.before = () => {
      attempts++;
      down();
    };
    const { extraction } = extractionOf({ stores: [store] });
    for (let id = 0; id < 100; id++) {
      extraction.conversation(`chat ${id}`).observe([user('one')]);
      void extraction.conversation(`chat ${id}`).endTurn();
    }
    await settle();
    expect(attempts).toBe(10);
    store.before = () => undefined;
    for (let request = 0; request < 3; request++) {
      extraction.conversation('chat 0').observe([user('two')]);
      await extraction.conversation('chat 0').endTurn();
    }
    await settle();
    expect(store.texts).toHaveLength(103);
  });

  it('is retried for a failed conversation once another is saved', async () => {
    const store = new MessageStore('facts', each);
    store.before = down;
    const { extraction } = extractionOf({ stores: [store] });
    extraction.conversation('a').observe([user('one')]);
    await extraction.conversation('a').endTurn();
    await settle();
    store.before = () => undefined;
    extraction.conversation('b').observe([user('two')]);
    await extraction.conversation('b').endTurn();
    await settle();
    expect(store.texts).toEqual(['two', 'one']);
  });

  it('is tried ever more seldom for a conversation that fails while others are saved, and never before them', async () => {
    const store = new MessageStore('facts', each);
    const tried: string[] = [];
    store.before = ([text]) => {
      tried.push(text === 'broken' ? 'x' : 'o');
      if (text === 'broken') down();
    };
    const { extraction } = extractionOf({ stores: [store] });
    const turn = async (id: string) => {
      extraction.conversation(id).observe([user(id)]);
      await extraction.conversation(id).endTurn();
      await settle();
    };
    await turn('broken');
    for (let count = 0; count < 15; count++) await turn('b');
    expect(tried.join('')).toBe('xoxooxoooxoooooxoooo');
    // Its own turns, and a flush, try it at once.
    await turn('broken');
    await extraction.flush();
    expect(tried.slice(-2)).toEqual(['x', 'x']);
    store.before = () => undefined;
    expect(await extraction.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
  });

  it.each(['TOO_LARGE', 'INVALID_ARGUMENT', 'UNSUPPORTED', 'READ_ONLY'] as const)(
    'that permanently refuses one message (%s) gets the others',
    async (code) => {
      const store = new MessageStore('facts', never);
      store.before = (texts) => {
        if (texts.includes('bad')) throw new MemoryError(code, 'Never.');
      };
      const { extraction, reports } = extractionOf({ stores: [store] });
      const texts = ['one', 'two', 'bad', 'three', 'four', 'bad', 'five'];
      extraction.conversation('chat').observe(texts.map(user));
      expect(await extraction.flush()).toEqual({ facts: { saved: 5, failed: 0 } });
      expect(store.texts).toEqual(['one', 'two', 'three', 'four', 'five']);
      const refused = { storeName: 'facts', operation: 'extract', count: 1, error: { code } };
      expect(reports).toMatchObject([refused, refused]);
      extraction.conversation('chat').observe([user('six')]);
      expect(await extraction.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    },
  );

  it('gets the other messages if its extractor refuses one message or it refuses one change', async () => {
    const store = new TextStore('facts', {
      ...never,
      extractor: {
        async extract({ messages }: ExtractionBatch) {
          if (messages.some(({ content }) => content === 'bad')) throw new MemoryError('TOO_LARGE', 'Never.');
          return messages.map(({ content }) => ({ kind: 'add', content: `They said ${content}` }));
        },
      },
    });
    store.before = (content) => {
      if (content.includes('odd')) throw new MemoryError('INVALID_ARGUMENT', 'Never.');
    };
    const { extraction, reports } = extractionOf({ stores: [store] });
    extraction.conversation('chat').observe(['one', 'bad', 'two', 'odd', 'three'].map(user));
    expect(await extraction.flush()).toEqual({ facts: { saved: 3, failed: 0 } });
    expect(store.added.map(({ content }) => content)).toEqual(
      ['one', 'two', 'three'].map((text) => `They said ${text}`),
    );
    expect(reports).toMatchObject([
      { error: { code: 'TOO_LARGE' }, count: 1 },
      { error: { code: 'INVALID_ARGUMENT' }, count: 1 },
    ]);
  });

  it.each([
    ['INVALID_ARGUMENT', { saved: 0, failed: 0 }, [1, 1]],
    ['TOO_LARGE', { saved: 0, failed: 0 }, [1, 1]],
    ['UNSUPPORTED', { saved: 0, failed: 0 }, [1, 1]],
    ['READ_ONLY', { saved: 0, failed: 0 }, [1, 1]],
    ['BACKEND', { saved: 0, failed: 2 }, [2]],
    ['CONFLICT', { saved: 0, failed: 2 }, [2]],
    ['CLOSED', { saved: 0, failed: 2 }, [2]],
    ['OUTCOME_UNKNOWN', { saved: 0, failed: 2 }, [2]],
    [undefined, { saved: 0, failed: 2 }, [2]],
  ] as const)('that fails with %s for every change counts no message as saved', async (code, counts, reported) => {
    const store = new TextStore('facts', never);
    store.before = () => {
      throw code === undefined ? new Error('Broken.') : new MemoryError(code, 'Broken.');
    };
    const model = new ScriptedModel(adds('Likes tea', 'Has a cat', 'Lives in Oslo'));
    const { extraction, reports } = extractionOf({ stores: [store], model });
    extraction.conversation('chat').observe([user('I like tea'), user('I have a cat in Oslo')]);
    expect(await extraction.flush()).toEqual({ facts: counts });
    expect(reports.map(({ count }) => count)).toEqual(reported);
    for (const report of reports) {
      expect(report).toMatchObject({
        storeName: 'facts',
        operation: 'extract',
        error: code === undefined ? {} : { code },
      });
    }
    // What is waiting is saved later, and what was refused is not repeated.
    store.before = () => undefined;
    expect(await extraction.flush()).toEqual({ facts: { saved: counts.failed, failed: 0 } });
    expect(store.added).toHaveLength(counts.failed === 0 ? 0 : 3);
    expect(model.requests).toHaveLength(1);
  });

  it('counts a message without a fact as saved, and one of whose facts it refuses one as not saved', async () => {
    const store = new TextStore('facts', never);
    store.before = (content) => {
      if (content.includes('odd')) throw new MemoryError('INVALID_ARGUMENT', 'Never.');
    };
    const model = new ScriptedModel(adds(), adds('An odd fact', 'Likes tea', 'Another odd fact'));
    const { extraction, reports } = extractionOf({ stores: [store], model });
    const learn = (text: string) => {
      extraction.conversation('chat').observe([user(text)]);
      return extraction.flush();
    };
    expect(await learn('Hm')).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(await learn('I like tea')).toEqual({ facts: { saved: 0, failed: 0 } });
    expect(store.added.map(({ content }) => content)).toEqual(['Likes tea']);
    const refused = { error: { code: 'INVALID_ARGUMENT', message: 'Never.' }, count: 1 };
    expect(reports).toMatchObject([refused, refused]);
  });

  it('whose filter throws for one message gets the others, and counts only those', async () => {
    const filter = (message: Message) => {
      if (message.content === 'bad') throw new TypeError('broken');
      return message.role === 'user' ? message : undefined;
    };
    const store = new MessageStore('facts', { ...never, filter });
    const { extraction, reports } = extractionOf({ stores: [store] });
    extraction
      .conversation('chat')
      .observe([
        user('one'),
        user('bad'),
        assistant('Hm'),
        user(' '),
        { role: 'user', content: [{ text: ' ' }] },
        user('two'),
      ]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
    expect(store.texts).toEqual(['one', 'two']);
    expect(reports).toMatchObject([
      { storeName: 'facts', operation: 'extract', count: 1, error: { message: 'broken' } },
    ]);
  });

  it('loses nothing if it cannot be initialized', async () => {
    const store = Object.assign(new MessageStore('facts', never), {
      initialize: async () => Promise.reject(new MemoryError('INVALID_ARGUMENT', 'No such database.')),
    });
    const { extraction } = extractionOf({ stores: [store] });
    extraction.conversation('chat').observe([user('one'), user('two')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 0, failed: 2 } });
    store.initialize = async () => undefined as never;
    expect(await extraction.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
  });
});

describe('flush', () => {
  it('also saves messages that arrive while it runs, in old and new conversations', async () => {
    const [store, bad] = [new MessageStore('facts', never), new MessageStore('bad', never)];
    const { extraction } = extractionOf({ stores: [store, bad] });
    const said = ['two', 'three'];
    store.before = () => {
      const text = said.shift();
      if (text !== undefined) extraction.conversation(text === 'two' ? 'chat' : 'another').observe([user(text)]);
    };
    bad.before = down;
    extraction.conversation('chat').observe([user('one')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 3, failed: 0 }, bad: { saved: 0, failed: 3 } });
    expect(store.texts).toEqual(['one', 'two', 'three']);
  });

  it('ends even if new messages never stop', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = new MessageStore('facts', never);
    const { extraction } = extractionOf({ stores: [store] });
    const chat = extraction.conversation('chat');
    store.before = () => {
      chat.observe([user('more')]);
      vi.advanceTimersByTime(10_000);
    };
    chat.observe([user('one')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 6, failed: 0 } });
    vi.useRealTimers();
  });
});

describe('a hanging store or model', () => {
  const hang = () => new Promise<never>(() => {});

  it.each(['store', 'model', 'search'])('times out: %s', async (what) => {
    // The deadline of a search is within that of the store, which must not be the first to end it.
    const store = new TextStore('facts', { ...never, deadlineMs: what === 'search' ? 60_000 : 20 });
    const model = new ScriptedModel(what === 'model' ? hang : adds('Likes tea'));
    if (what === 'store') store.before = hang;
    if (what === 'search') store.search = hang;
    const { extraction, reports } = extractionOf({ stores: [store], model, deadlineMs: 10 });
    extraction.conversation('chat').observe([user('I like tea')]);
    const failed = what === 'search' ? 0 : 1;
    expect(await extraction.flush()).toEqual({ facts: { saved: 1 - failed, failed } });
    expect(reports).toMatchObject([
      { operation: what === 'search' ? 'search' : 'extract', error: { code: 'TIMEOUT' } },
    ]);
  });

  it('delays flush once, however many conversations there are, and no message is lost', async () => {
    const store = new MessageStore('facts', { ...each, deadlineMs: 50 });
    let attempts = 0;
    store.before = () => {
      attempts++;
      return hang();
    };
    const { extraction } = extractionOf({ stores: [store] });
    for (let id = 0; id < 20; id++) {
      extraction.conversation(`chat ${id}`).observe([user(`${id}`)]);
      void extraction.conversation(`chat ${id}`).endTurn();
    }
    expect(await extraction.flush()).toEqual({ facts: { saved: 0, failed: 20 } });
    // One attempt of the triggers, and one of flush.
    expect(attempts).toBe(2);
    store.before = () => undefined;
    extraction.conversation('another').observe([user('20')]);
    await extraction.conversation('another').endTurn();
    await settle();
    expect(store.texts).toHaveLength(21);
  });

  it('saves everything at the next flush after it recovers, even if another conversation has nothing to save', async () => {
    const store = new MessageStore('facts', { ...never, deadlineMs: 20 });
    const { extraction } = extractionOf({ stores: [store] });
    extraction.conversation('quiet').observe([user('one')]);
    await extraction.flush();
    store.before = hang;
    extraction.conversation('chat').observe([user('two')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 0, failed: 1 } });
    store.before = () => undefined;
    expect(await extraction.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(store.texts).toEqual(['one', 'two']);
  });

  it('delays the other conversations for only one flush if it always hangs on the same one', async () => {
    const store = new MessageStore('facts', { ...never, deadlineMs: 20 });
    store.before = ([text]) => (text === 'endless' ? hang() : undefined);
    const { extraction } = extractionOf({ stores: [store] });
    for (const text of ['endless', 'two', 'three']) extraction.conversation(text).observe([user(text)]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 0, failed: 3 } });
    expect(await extraction.flush()).toEqual({ facts: { saved: 2, failed: 1 } });
    expect(store.texts).toEqual(['two', 'three']);
  });

  it('does nothing more if it resumes after its deadline', async () => {
    const store = new TextStore('facts', { ...never, deadlineMs: 20 });
    let wake = () => {};
    const first = new Promise<void>((resolve) => {
      wake = resolve;
    });
    store.before = (content) => (content === 'one' ? first : undefined);
    const { extraction } = extractionOf({ stores: [store], model: new ScriptedModel(adds('one', 'two')) });
    extraction.conversation('chat').observe([user('I like tea')]);
    await extraction.flush();
    wake();
    await settle();
    expect(store.added.map(({ content }) => content)).toEqual(['one']);
    expect(await extraction.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
  });

  it('is aborted by close', async () => {
    const store = new TextStore('facts', never);
    const model = new ScriptedModel(hang);
    const { extraction, reports } = extractionOf({ stores: [store], model });
    const chat = extraction.conversation('chat');
    chat.observe([user('one')]);
    const flushed = extraction.flush();
    await settle();
    await extraction.close();
    expect(model.requests[0]?.signal?.aborted).toBe(true);
    expect(await flushed).toEqual({ facts: { saved: 0, failed: 1 } });
    expect(reports).toEqual([]);
    expect(() => chat.observe([user('two')])).toThrow(memoryError('CLOSED', /closed/));
    await expect(chat.endTurn()).rejects.toThrow(memoryError('CLOSED', /closed/));
    await extraction.close();
  });

  it('leaves no timer behind', async () => {
    vi.useFakeTimers();
    const store = new TextStore('facts', never);
    const { extraction } = extractionOf({ stores: [store], model: new ScriptedModel(adds('one')) });
    extraction.conversation('chat').observe([user('one')]);
    await extraction.flush();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

describe('the message buffer', () => {
  it('is bounded: the oldest messages are dropped, counted and reported', async () => {
    const store = new MessageStore('facts', never);
    const { extraction, reports } = extractionOf({ stores: [store], maxBuffered: 10 });
    const chat = extraction.conversation('chat');
    for (let turn = 0; turn < 30; turn++) chat.observe([user(`${turn}`)]);
    expect(reports.every(({ operation, storeName }) => operation === 'overflow' && storeName === 'facts')).toBe(true);
    expect(reports.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(20);
    expect(await extraction.flush()).toEqual({ facts: { saved: 10, failed: 0 } });
    expect(store.texts).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 20}`));
    const [first] = store.calls[0]?.context?.sequenceNumbers ?? [];
    chat.observe([user('next')]);
    await extraction.flush();
    expect(store.calls[1]?.context?.sequenceNumbers).toEqual([Number(first) + 10]);
  });

  it('keeps messages that a store is writing', async () => {
    const store = new MessageStore('facts', each);
    let go = () => {};
    store.before = () =>
      new Promise<void>((resolve) => {
        go = resolve;
      });
    const { extraction, reports } = extractionOf({ stores: [store], maxBuffered: 3 });
    const chat = extraction.conversation('chat');
    chat.observe([user('one'), user('two')]);
    await chat.endTurn();
    await settle();
    for (const text of ['three', 'four', 'five', 'six']) chat.observe([user(text)]);
    chat.observe(Array.from({ length: 50 }, (_, index) => user(`${index}`)));
    expect(reports.map(({ count }) => count)).toEqual([1, 1, 1, 50]);
    store.before = () => undefined;
    go();
    await extraction.flush();
    expect(store.texts).toEqual(['one', 'two', '49']);
  });

  it('reports dropped messages per store', async () => {
    const [fast, slow] = [new MessageStore('fast', each), new MessageStore('slow', each)];
    slow.before = down;
    const { extraction, reports } = extractionOf({ stores: [fast, slow], maxBuffered: 5 });
    const chat = extraction.conversation('chat');
    for (let turn = 0; turn < 9; turn++) {
      chat.observe([user(`${turn}`)]);
      await chat.endTurn();
      await settle();
    }
    const lost = reports.filter(({ operation }) => operation === 'overflow').map(({ storeName }) => storeName);
    expect(lost).toEqual(['slow', 'slow', 'slow', 'slow']);
    expect(fast.texts).toHaveLength(9);
  });

  it('stays small during 2,000 turns that outpace extraction, and flush drains it', async () => {
    const store = new MessageStore('facts', each);
    store.before = settle;
    const { extraction, reports } = extractionOf({ stores: [store], maxBuffered: 200 });
    const chat = extraction.conversation('chat');
    for (let turn = 0; turn < 2_000; turn++) {
      chat.observe([user(`question ${turn}`), assistant(`answer ${turn}`)]);
      void chat.endTurn();
      if (turn % 200 === 0) await settle();
    }
    const dropped = () => reports.reduce((sum, { count = 0 }) => sum + count, 0);
    const flushed = await extraction.flush();
    expect(flushed.facts?.saved).toBeLessThanOrEqual(200);
    expect(flushed.facts?.failed).toBe(0);
    expect(dropped()).toBeGreaterThan(2_000);
    expect(store.texts.length + dropped()).toBe(4_000);
    expect(new Set(store.texts).size).toBe(store.texts.length);
    expect(await extraction.flush()).toEqual({ facts: { saved: 0, failed: 0 } });
  });

  it('stays empty if no store extracts', async () => {
    const { extraction } = extractionOf({ stores: [] });
    extraction.conversation('chat').observe([user('one')]);
    await extraction.conversation('chat').endTurn();
    expect(await extraction.flush()).toEqual({});
    expect(await extraction.recover()).toEqual({});
  });
});

describe('conversations', () => {
  it('are released when idle, and come back with higher sequence numbers', async () => {
    const store = new MessageStore('facts', each);
    let attached = 0;
    const counting = { name: 'counting', attach: () => void attached++ };
    (store.extraction as { trigger: unknown }).trigger = [new InvocationTrigger(), counting];
    const { extraction } = extractionOf({ stores: [store] });
    const chat = extraction.conversation('first');
    const say = async (id: string, text: string) => {
      extraction.conversation(id).observe([user(text)]);
      await extraction.conversation(id).endTurn();
    };
    await say('first', 'one');
    await say('first', 'two');
    for (let id = 0; id < 1_200; id++) {
      await say(`chat ${id}`, 'hello');
      if (id % 100 === 0) await settle();
    }
    await settle();
    expect(attached).toBe(1_201);
    chat.observe([user('three')]);
    await chat.endTurn();
    await settle();
    // The conversation was released: the trigger was attached again.
    expect(attached).toBe(1_202);
    const firsts = store.calls.filter(({ context }) => context?.thread === 'first');
    expect(firsts.flatMap(({ texts }) => texts)).toEqual(['one', 'two', 'three']);
    const numbers = firsts.flatMap(({ context }) => context?.sequenceNumbers ?? []);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(firsts.map(({ context }) => context?.runId)).size).toBe(2);
  });

  it('are kept while they have unsaved messages, however many there are', async () => {
    const store = new MessageStore('facts', never);
    const { extraction } = extractionOf({ stores: [store] });
    for (let id = 0; id < 1_100; id++) extraction.conversation(`chat ${id}`).observe([user(`${id}`)]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 1_100, failed: 0 } });
  });

  it('are saved early, longest idle first, if together they buffer too much, and nothing is lost', async () => {
    const store = new MessageStore('facts', never);
    const { extraction, reports } = extractionOf({ stores: [store], maxBuffered: 50 });
    const said = Array.from({ length: 1_000 }, (_, index) => `${index}`);
    let most = 0;
    for (const [index, text] of said.entries()) {
      extraction.conversation(`chat ${text}`).observe([user(text)]);
      if (index === 99) expect(store.texts).toEqual([]);
      await settle();
      most = Math.max(most, index + 1 - store.texts.length);
    }
    expect(most).toBe(100);
    expect(store.texts).toEqual(said.slice(0, 900));
    expect(await extraction.flush()).toEqual({ facts: { saved: 100, failed: 0 } });
    expect(store.texts).toEqual(said);
    expect(reports).toEqual([]);
  });
});
