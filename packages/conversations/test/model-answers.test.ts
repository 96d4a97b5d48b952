import { type ExtractionBatch, isMemoryError, type MemoryModel, ModelExtractor } from '@keepsake/core';
import { READABLE_FORMS, REFUSALS, UNREADABLE_FORMS } from '@keepsake/testing/answer-forms';
import { describe, expect, it } from 'vitest';
import { ModelProfiler, ModelSummariser } from '../src/index.ts';
import { TRAITS_SCHEMA } from '../src/profile/traits.ts';

/* Everything that asks a model reads its answers alike. What can't be read is an error, so nothing that is stored changes. */

const signal = new AbortController().signal;
const answers = (text: string): MemoryModel => ({ generate: async () => ({ text }) });

const batch: ExtractionBatch = {
  messages: [{ role: 'user', content: 'I live in Lisbon.' }],
  observedAt: '2026-03-02T10:00:00.000Z',
  known: [{ id: 'a', content: 'The user has a cat.' }] as unknown as ExtractionBatch['known'],
  canRevise: true,
  signal,
};

interface Reader {
  readonly json: string;
  readonly read: (text: string) => Promise<unknown>;
  readonly expected: unknown;
}

const fact = { kind: 'add', content: 'The user lives in Lisbon.', speaker: 'user' };

const READERS: Readonly<Record<string, Reader>> = {
  extraction: {
    json: '{"changes":[{"action":"add","id":null,"content":"The user lives in Lisbon.","speaker":"user"}]}',
    read: (text) => new ModelExtractor({ model: answers(text) }).extract(batch),
    expected: [fact],
  },
  summaries: {
    json: '{"summary":"The user lives in Lisbon."}',
    read: (text) =>
      new ModelSummariser({ model: answers(text) }).summarise({ previous: 'The user has a cat.', said: [], signal }),
    expected: fact.content,
  },
  profiles: {
    json: '{"name":"Ada","occupation":null,"location":"in Lisbon, in the old town","goals":["a job in a school"]}',
    read: (text) =>
      new ModelProfiler({ model: answers(text) }).analyse({
        known: { name: 'A.' },
        said: [{ role: 'user', text: 'I live in Lisbon.' }],
        tools: [],
        schema: TRAITS_SCHEMA,
        newKeys: undefined,
        mode: 'update',
        signal,
      }),
    expected: { name: 'Ada', occupation: null, location: 'in Lisbon, in the old town', goals: ['a job in a school'] },
  },
};

/** Whether white space is all that differs. */
const spaced = (value: unknown) => JSON.stringify(value).replaceAll('\\n', ' ').replaceAll(/ +/g, ' ');

describe.each(Object.entries(READERS))('the answer for %s is read', (_, { json, read, expected }) => {
  it.each(Object.entries(READABLE_FORMS))('%s', async (_, form) => {
    expect(spaced(await read(form(json)))).toBe(spaced(expected));
  });
});

describe.each(Object.entries(READERS))('the answer for %s is an error', (_, { json, read }) => {
  it.each(Object.entries(UNREADABLE_FORMS))('%s', async (_, form) => {
    await expect(read(form(json))).rejects.toSatisfy((error) => isMemoryError(error) && error.code === 'BACKEND');
  });

  it.each(REFUSALS)('%s', async (refusal) => {
    await expect(read(refusal)).rejects.toThrow();
    await expect(read(`<think>Hm.</think>${refusal}`)).rejects.toThrow();
  });
});

it.each([
  '…',
  '...',
  '-',
  '\u200B',
  'null',
  'None.',
  'string',
  'Here is the updated summary:',
  'No change.',
  'N/A',
  'Nothing new',
  ...REFUSALS.map((refusal) => `**${refusal}**`),
])('a text that says nothing is no summary: %j', async (summary) => {
  await expect(READERS.summaries?.read(summary)).rejects.toThrow('returned no summary');
  await expect(READERS.summaries?.read(JSON.stringify({ summary }))).rejects.toThrow('returned no summary');
});

it.each(REFUSALS)('a refusal as the summary is none: %s', async (refusal) => {
  await expect(READERS.summaries?.read(JSON.stringify({ summary: refusal }))).rejects.toThrow('returned no summary');
});

it('an empty answer changes nothing', async () => {
  expect(await READERS.extraction?.read('{"changes":[]}')).toEqual([]);
  expect(await READERS.extraction?.read('[]')).toEqual([]);
  await expect(READERS.extraction?.read('{}')).rejects.toThrow();
  await expect(READERS.summaries?.read('{}')).rejects.toThrow();
  expect(await READERS.profiles?.read('{}')).toEqual({});
});

it.each([
  ['a plain text', 'The user lives in Lisbon.'],
  ['a plain text after thoughts', '<think>Short.</think>\nThe user lives in Lisbon.'],
  ['a text as the user would say it', "I can't eat nuts. I am afraid of dogs, and I won't fly."],
  ['a text about what the user may not do', "I'm not allowed to eat nuts. Unfortunately, I can't swim."],
  ['a text in another script', 'Пользователь живёт в Лиссабоне.'],
  ['a text in Chinese', '用户住在里斯本。'],
  ['a text about when somebody has no time', "I can't do Mondays. I prefer Wednesday at 3 pm."],
  ['a text about a job', 'As an AI engineer at Acme, Ada trains models.'],
  ['a text about an invitation', 'I must decline the invitation of Ana for 3 May.'],
  ['a text about an apology', 'Sorry I was late with the report, said Ada, and sent it on 3 May.'],
  ['a text about food in French', 'Je ne peux pas manger de noix.'],
  ['a text that begins with a misfortune', "Unfortunately, I can't eat nuts."],
  ['a text in a list', '{"summary":["The user lives","in Lisbon."]}'],
])('a summary may be %s', async (_, text) => {
  const summary = await READERS.summaries?.read(text);
  expect(summary).toBe(text.includes('Lisbon') ? fact.content : text);
});

it.each([
  ['the list alone', `[${JSON.stringify({ action: 'add', content: fact.content, speaker: 'user' })}]`],
  ['one change alone', JSON.stringify({ action: 'add', content: fact.content, speaker: 'user' })],
  ['one change in place of the list', JSON.stringify({ changes: { action: 'add', ...fact } })],
  ['a list of any name', JSON.stringify({ memories: [{ action: 'add', ...fact }] })],
  ['one change alone, in an object of any name', JSON.stringify({ note: 'Hm.', change: { action: 'add', ...fact } })],
  ['the list as a text', JSON.stringify({ changes: JSON.stringify([{ action: 'add', ...fact }]) })],
])('changes may be %s', async (_, text) => {
  expect(await READERS.extraction?.read(text)).toEqual([fact]);
});

const cat = { action: 'add', content: 'The user has a cat.', speaker: 'user' };
const lines = `${JSON.stringify(cat)}\n${JSON.stringify({ action: 'add', ...fact })}`;

it.each([
  ['lines', lines],
  ['lines in a fence', `Here:\n\`\`\`jsonl\n${lines}\n\`\`\``],
  ['fences', lines.replaceAll(/.+/g, '```json\n$&\n```')],
  ['objects with a list', lines.replaceAll(/.+/g, '{"changes":[$&]}')],
  ['calls', lines.replaceAll(/.+/g, '<tool_call>{"name":"answer","arguments":{"changes":[$&]}}</tool_call>')],
])('changes one after another are all read: %s', async (_, text) => {
  expect(await READERS.extraction?.read(text)).toEqual([{ kind: 'add', content: cat.content, speaker: 'user' }, fact]);
});

it('changes with words between are not read, because one may be a remark', async () => {
  await expect(READERS.extraction?.read(lines.replace('\n', '\nI left out: '))).rejects.toThrow('requested JSON');
});

it('a deletion is left out if another change is invalid, which may have been its replacement', async () => {
  const added = { action: 'ADD', id: null, content: fact.content, speaker: 'user' };
  const changes = [{ action: 'delete', id: '1' }, { action: 'add', id: null, text: 'The user has a dog.' }, added];
  expect(await READERS.extraction?.read(JSON.stringify({ changes }))).toEqual([undefined, undefined, fact]);
});
