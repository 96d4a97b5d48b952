import {
  contextInjector,
  isMemoryError,
  type JsonValue,
  type MemoryModel,
  type MemoryStore,
  type Message,
  ModelExtractor,
} from '@keepsake/core';
import { each } from '@keepsake/testing/fuzz/each';
import { mutateJson, mutateJsonText } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';
import { InMemoryStore } from '../../src/index.ts';
import { managerOf } from '../extraction/support.ts';
import { learningManager } from '../manager/support.ts';

const TOOL_INPUTS: readonly unknown[] = [
  { query: 'heron', maxSearchResults: 3, stores: ['personal'] },
  { entries: ['A heron stood in the river.'], stores: ['personal'] },
  { ids: ['one', 'two'], stores: ['personal'] },
  { id: 'one', offset: 3, stores: ['personal'] },
];

export const toolInputs = fuzzTarget({
  inputs: 500,
  input: (random) => mutateJson(random, random.pick(TOOL_INPUTS), TOOL_INPUTS) as JsonValue,
  async run(input) {
    const { memory, store } = learningManager({ addToolConfig: true, forgetToolConfig: true });
    await store.put({ id: 'one', content: 'A heron stood in the river. '.repeat(300) });
    const calls = memory.tools().map((tool) => tool.execute(input));
    await each(calls, isMemoryError);
  },
});

const CHANGES = {
  changes: [
    { action: 'add', id: null, content: 'Moved to Ghent.', speaker: 'user' },
    { action: 'update', id: '1', content: 'Likes rye bread.' },
    { action: 'delete', id: 2, content: null },
  ],
};
const TALK: readonly Message[] = [
  { role: 'user', content: 'I moved to Ghent, and I like rye bread now.' },
  { role: 'assistant', content: 'Nice.' },
];

/** What a model may answer instead of the requested JSON. */
type Answer = Awaited<ReturnType<MemoryModel['generate']>>;

function answerOf(random: Random): Answer {
  const text = mutateJsonText(random, [CHANGES]);
  const kind = random.whole(4);
  if (kind === 0) return { text: `Sure!\n\`\`\`json\n${text}\n\`\`\`\n${text}` };
  if (kind === 1) return { text: '', object: mutateJson(random, CHANGES) as JsonValue };
  if (kind === 2)
    return mutateJson(random, { text, object: CHANGES, usage: { inputTokens: 1, outputTokens: 2 } }) as Answer;
  return { text };
}

export const extractorAnswers = fuzzTarget({
  input: answerOf,
  run: (answer) =>
    new ModelExtractor().extract({
      messages: TALK,
      observedAt: '2026-05-03T09:12:00.000Z',
      model: { generate: async () => answer },
      known: [
        { id: 'one', content: 'Likes white bread.' },
        { id: 'two', content: 'Lives in Bruges.' },
      ],
      canRevise: true,
      signal: new AbortController().signal,
    }),
});

export const extraction = fuzzTarget({
  inputs: 300,
  input: answerOf,
  async run(answer) {
    const store = new InMemoryStore({ name: 'facts', extraction: { extractor: new ModelExtractor() } });
    await store.putMany([{ content: 'Likes white bread.' }, { content: 'Lives in Bruges.' }]);
    const { memory, reports } = managerOf({ stores: [store], model: { generate: async () => answer } });
    await memory.turn({ thread: 't', messages: TALK.slice(0, 1), answer: () => 'Nice.' });
    await memory.flush();
    for (const { error } of reports) throw error;
  },
});

export const turns = fuzzTarget({
  inputs: 500,
  input: (random) => ({
    messages: mutateJson(random, TALK, TALK) as Message[],
    answer: mutateJson(random, 'Nice.', TALK) as never,
    thread: mutateText(random, 't'),
  }),
  async run(turn) {
    const { memory, reports } = learningManager();
    await memory.turn({ ...turn, answer: () => turn.answer });
    await memory.flush();
    for (const { error } of reports) throw error;
  },
});

const ENTRIES = [
  {
    id: 'one',
    content: 'Moved to Ghent.',
    metadata: { topic: 'home' },
    createdAt: '2026-05-03T09:12:00.000Z',
    score: 1.5,
    excerpt: { text: 'to Ghent', start: 6, end: 14 },
  },
  { content: 'Likes </memory> bread.', turn: { thread: 't', index: 1 } },
];

/** Stores of other frameworks return what they like. */
export const foundEntries = fuzzTarget({
  inputs: 500,
  input: (random) => mutateJson(random, ENTRIES, ENTRIES) as never,
  async run(entries) {
    const store: MemoryStore = { name: 'theirs', writable: false, search: async () => entries };
    const { memory, reports } = managerOf({ stores: [store, new InMemoryStore({ name: 'ours' })] });
    const conversation = memory.conversation({ id: 'c' });
    await conversation.inject(TALK);
    await memory.search('Where do I live?');
    for (const tool of memory.tools()) if (tool.name === 'search_memory') await tool.execute({ query: 'bread' });
    for (const { error } of reports) throw error;
  },
});

export const injectedTexts = fuzzTarget({
  input: (random) => ({
    messages: mutateJson(random, TALK, TALK) as Message[],
    text: mutateText(random, 'It is Monday.'),
  }),
  run: ({ messages, text }) => contextInjector({ name: 'clock', render: () => text } as never).inject(messages),
});
