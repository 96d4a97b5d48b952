import { setTimeout as wait } from 'node:timers/promises';
import { type Message, messageText, type RecordStore, type TurnOptions } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { adds, assistant, managerOf, ScriptedModel, user } from '../extraction/support.ts';
import { contentsOf, learningManager, learningStore, saidIn } from './support.ts';

const thread = 'monday';

async function* streamOf(...parts: string[]): AsyncGenerator<string> {
  yield* parts;
}

async function joined(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

describe('turn', () => {
  it('passes on the messages with what is known, and learns both sides, but no courtesies and questions', async () => {
    const { memory, store } = learningManager();
    const said = [user('On planes I want an aisle seat.')];
    expect(await memory.turn({ thread, messages: said, answer: () => 'Noted.' })).toBe('Noted.');
    await memory.flush();

    const asked: Message[] = [];
    const messages = [user('Which seat do I want on planes?')];
    const answer = (input: Message[]) => {
      asked.push(...input);
      return 'An aisle seat.';
    };
    await memory.turn({ thread: 'friday', messages, answer });
    expect(asked.map(messageText).join()).toContain('>On planes I want an aisle seat.</entry>');
    expect(messages).toEqual([user('Which seat do I want on planes?')]);
    await memory.flush();
    expect(await saidIn(store)).toEqual(['user: On planes I want an aisle seat.', 'assistant: An aisle seat.']);
  });

  it('returns what answer returned: a text, a message or messages', async () => {
    const { memory, store } = learningManager();
    const turn = <Answer extends string | Message | Message[]>(answer: Answer) =>
      memory.turn({ thread, messages: [user('Rain?')], answer: async () => answer });
    const call: Message = { role: 'assistant', content: [{ toolUse: { name: 'w', toolUseId: '1', input: {} } }] };
    const result: Message = { role: 'user', content: [{ toolResult: { toolUseId: '1', content: [{ text: 'Yes' }] } }] };
    const loop = [call, result, assistant('It rains.')];

    const text: string = await turn('Yes.');
    const message: Message = await turn(assistant('Indeed.'));
    const messages: Message[] = await turn(loop);
    expect([text, message, messages]).toEqual(['Yes.', assistant('Indeed.'), loop]);
    await memory.flush();
    const answers = (await saidIn(store)).filter((one) => one.startsWith('assistant'));
    expect(answers).toEqual(['assistant: Yes.', 'assistant: Indeed.', 'assistant: It rains.']);
  });

  it('learns each message of a growing history once, and no instructions', async () => {
    const { memory, store } = learningManager();
    const history: Message[] = [{ role: 'system', content: 'You are a travel agent.' }];
    for (const text of ['I fly from Bergen.', 'I never eat meat.', 'Yes.', 'Yes.']) {
      history.push(user(text));
      history.push(assistant(await memory.turn({ thread, messages: history, answer: () => `About: ${text}` })));
    }
    await memory.flush();
    expect(await saidIn(store)).toEqual([
      'user: I fly from Bergen.',
      'assistant: About: I fly from Bergen.',
      'user: I never eat meat.',
      'assistant: About: I never eat meat.',
      'user: Yes.',
      'assistant: About: Yes.',
      'user: Yes.',
      'assistant: About: Yes.',
    ]);
  });

  it('keeps two threads apart', async () => {
    const { memory, store } = learningManager();
    const turn = (thread: string, text: string) =>
      memory.turn({ thread, messages: [user(text)], answer: () => wait(1, `${text}!`) });
    await Promise.all([turn('a', 'Tea'), turn('b', 'Coffee')]);
    await memory.flush();
    const { items } = await store.list({ order: 'oldest' });
    const byThread = (thread: string) => contentsOf(items.filter(({ turn }) => turn?.thread === thread));
    expect([byThread('a'), byThread('b')]).toEqual([
      ['Tea', 'Tea!'],
      ['Coffee', 'Coffee!'],
    ]);
  });

  it('gives answer the conversation, for the calls of a tool loop', async () => {
    const { memory, store } = learningManager();
    await store.add('The user flies from Bergen.');
    const blocks: string[] = [];
    await memory.turn({
      thread,
      messages: [user('Where does the user fly from?')],
      answer: async (messages, { conversation }) => {
        expect(conversation).toBe(memory.conversation({ id: thread }));
        const again = await conversation.inject([user('Where does the user fly from?'), assistant('Let me see.')]);
        blocks.push(messageText(messages[0] as Message), messageText(again[0] as Message));
        return 'Bergen.';
      },
    });
    expect(blocks[0]).toContain('flies from Bergen');
    expect(blocks[1]).toBe(blocks[0]);
  });

  it('uses the model of the turn where the manager has none', async () => {
    const store = new InMemoryStore({ name: 'facts' });
    const facts = {
      name: 'facts',
      writable: true,
      extraction: true,
      search: store.search.bind(store),
      add: store.add.bind(store),
    };
    const { memory } = managerOf({ stores: [facts] });
    const model = new ScriptedModel(adds('The user fishes.'));
    await memory.turn({ thread, model, messages: [user('I fish.')], answer: () => 'Nice.' });
    await memory.flush();
    expect(contentsOf((await store.list()).items)).toEqual(['The user fishes.']);
    const refused = memory.turn({ thread: 'other', messages: [user('I fish.')], answer: () => 'Nice.' });
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/"facts"/),
    });
  });
});

/** A store below which nothing can be written. */
class FullOutbox extends InMemoryStore {
  override within(...place: Parameters<RecordStore['within']>): RecordStore {
    const store = super.within(...place);
    store.putMany = () => Promise.reject(new Error('disk full'));
    return store;
  }
}

describe('a turn that fails', () => {
  it('rejects with the error of answer, and learns what the user said', async () => {
    const { memory, store } = learningManager();
    const error = new Error('overloaded');
    const answer = (): string => {
      throw error;
    };
    await expect(memory.turn({ thread, messages: [user('I moved to Oslo.')], answer })).rejects.toBe(error);
    expect(await saidIn(store)).toEqual([]);
    await memory.flush();
    expect(await saidIn(store)).toEqual(['user: I moved to Oslo.']);
  });

  it('does not count for triggers', async () => {
    const { memory, store } = learningManager();
    const turn = (answer: () => Promise<string>) => memory.turn({ thread, messages: [user('Hi, I am Ana.')], answer });
    await turn(() => Promise.reject(new Error('down'))).catch(() => {});
    await wait(10);
    expect(await saidIn(store)).toEqual([]);
    await turn(async () => 'Hello Ana!');
    await expect.poll(() => saidIn(store)).toEqual(['user: Hi, I am Ana.', 'assistant: Hello Ana!']);
  });

  it('is asked again without learning the same words twice, in each of two threads', async () => {
    const { memory, store } = learningManager();
    for (const thread of ['a', 'b']) {
      const failing = async () => Promise.reject<string>(new Error('down'));
      for (let attempt = 0; attempt < 3; attempt++) {
        await memory.turn({ thread, messages: [user('I moved to Oslo.')], answer: failing }).catch(() => {});
      }
      const messages = [user('I moved to Oslo.'), user('Book a train.')];
      await memory.turn({ thread, messages, answer: () => 'Yes.' });
    }
    await memory.flush();
    const once = ['user: I moved to Oslo.', 'user: Book a train.', 'assistant: Yes.'];
    expect(await saidIn(store)).toEqual([...once, ...once]);
  });

  it('is over when the words are said again after an answer', async () => {
    const { memory, store } = learningManager();
    const turn = (answer: () => Promise<string>) => memory.turn({ thread, messages: [user('Yes.')], answer });
    await turn(() => Promise.reject(new Error('down'))).catch(() => {});
    await turn(async () => 'First.');
    await turn(async () => 'Second.');
    await memory.flush();
    expect(await saidIn(store)).toEqual(['user: Yes.', 'assistant: First.', 'user: Yes.', 'assistant: Second.']);
  });

  it('rejects with ABORTED at once when the signal is aborted, even if answer ignores it', async () => {
    const { memory, store } = learningManager();
    const control = new AbortController();
    const turn = memory.turn({
      thread,
      messages: [user('I moved to Oslo.')],
      signal: control.signal,
      answer: (_, { signal }) => {
        expect(signal).toBe(control.signal);
        queueMicrotask(() => control.abort(new Error('closed')));
        return new Promise<string>(() => {});
      },
    });
    await expect(turn).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'closed' } });
    await memory.flush();
    expect(await saidIn(store)).toEqual(['user: I moved to Oslo.']);
  });

  it('does not call answer if it was aborted before', async () => {
    const { memory, store } = learningManager();
    let calls = 0;
    const answer = () => `${++calls}`;
    const turn = memory.turn({ thread, messages: [user('I moved to Oslo.')], answer, signal: AbortSignal.abort() });
    await expect(turn).rejects.toMatchObject({ code: 'ABORTED' });
    await memory.flush();
    expect([calls, await saidIn(store)]).toEqual([0, ['user: I moved to Oslo.']]);
  });

  it.each([[undefined], [null], [7], [{ text: 'x' }], [[{ role: 'robot', content: 'x' }]], [['x']]])(
    'is one whose answer is %j',
    async (answer) => {
      const { memory, store } = learningManager();
      const turn = memory.turn({ thread, messages: [user('I moved to Oslo.')], answer: () => answer as never });
      await expect(turn).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/^`answer` must return a text, messages, or/),
      });
      await memory.flush();
      expect(await saidIn(store)).toEqual(['user: I moved to Oslo.']);
    },
  );

  it('returns the answer though the outbox fails, which is reported', async () => {
    const { memory, reports } = managerOf({ stores: [learningStore()], outbox: new FullOutbox({ name: 'outbox' }) });
    expect(await memory.turn({ thread, messages: [user('Hi!')], answer: () => 'Hello!' })).toBe('Hello!');
    expect(reports).toContainEqual(expect.objectContaining({ storeName: 'outbox', operation: 'outbox' }));
  });
});

describe('a turn with a stream', () => {
  it('passes on each text as it comes, and learns the whole at the end', async () => {
    const { memory, store } = learningManager();
    let release = () => {};
    const more = new Promise<void>((resolve) => {
      release = resolve;
    });
    const stream = await memory.turn({
      thread,
      messages: [user('I have moved.')],
      answer: async function* () {
        yield 'In ';
        await more;
        yield 'Oslo.';
      },
    });
    expect(await stream.next()).toEqual({ done: false, value: 'In ' });
    release();
    expect(await joined(stream)).toBe('Oslo.');
    await expect.poll(() => saidIn(store)).toEqual(['user: I have moved.', 'assistant: In Oslo.']);
  });

  it('accepts a web stream', async () => {
    const { memory, store } = learningManager();
    const answer = () =>
      new ReadableStream<string>({
        start(control) {
          for (const part of ['a', 'b']) control.enqueue(part);
          control.close();
        },
      });
    const stream = await memory.turn({ thread, messages: [user('Spell!')], answer });
    expect(await joined(stream)).toBe('ab');
    await memory.flush();
    expect(await saidIn(store)).toEqual(['user: Spell!', 'assistant: ab']);
  });

  it('fails if the consumer stops early, and closes the source', async () => {
    const { memory, store } = learningManager();
    let isClosed = false;
    const answer = async function* () {
      try {
        yield 'one ';
        yield 'two ';
      } finally {
        isClosed = true;
      }
    };
    const messages = [user('Count!')];
    for await (const _ of await memory.turn({ thread, messages, answer })) break;
    expect(isClosed).toBe(true);
    await memory.flush();
    expect(await saidIn(store)).toEqual(['user: Count!']);

    await joined(await memory.turn({ thread, messages, answer }));
    await memory.flush();
    expect(await saidIn(store)).toEqual(['user: Count!', 'assistant: one two ']);
  });

  it('fails with the source', async () => {
    const { memory, store } = learningManager();
    const error = new Error('reset');
    const answer = async function* (): AsyncGenerator<string> {
      yield 'one ';
      throw error;
    };
    await expect(joined(await memory.turn({ thread, messages: [user('Count!')], answer }))).rejects.toBe(error);
    await memory.flush();
    expect(await saidIn(store)).toEqual(['user: Count!']);
  });

  it('fails if the source just ends when it is aborted', async () => {
    const { memory, store } = learningManager();
    const control = new AbortController();
    const answer = async function* () {
      yield 'one ';
      control.abort();
    };
    const stream = await memory.turn({ thread, messages: [user('Count!')], answer, signal: control.signal });
    await expect(joined(stream)).rejects.toMatchObject({ code: 'ABORTED' });
    await memory.flush();
    expect(await saidIn(store)).toEqual(['user: Count!']);
  });

  it('fails on chunks that are not texts', async () => {
    const { memory } = learningManager();
    const answer = () => streamOf({ delta: 'x' } as never);
    await expect(joined(await memory.turn({ thread, messages: [user('Hi!')], answer }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^The stream of `answer` must consist of texts/),
    });
  });
});

describe('refuses turns', () => {
  const answer = () => 'Yes.';
  it.each<[what: string, options: object, message: RegExp]>([
    ['without a thread', { messages: [user('Hi!')], answer }, /^`thread` must be/],
    ['with an empty thread', { thread: '', messages: [user('Hi!')], answer }, /is empty/],
    ['without messages', { thread, messages: [], answer }, /^`messages` must be/],
    ['with invalid messages', { thread, messages: [user('Hi!'), 'x'], answer }, /^`messages\[1\]` must be/],
    ['without answer', { thread, messages: [user('Hi!')] }, /^`answer` must be a function/],
    ['with an invalid model', { thread, messages: [user('Hi!')], answer, model: {} }, /^`model` must be/],
    ['with unknown fields', { thread, messages: [user('Hi!')], anser: answer }, /`anser`.* mean `answer`/],
  ])('%s', async (_, options, message) => {
    const { memory, store } = learningManager();
    await expect(memory.turn(options as TurnOptions)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
    await memory.flush();
    expect(await saidIn(store)).toEqual([]);
  });
});
