import { InMemoryStore } from '@keepsake/in-memory';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ConversationMemory, type ConversationMemoryOptions } from '../src/index.ts';
import { user } from './support/items.ts';
import { ScriptedModel } from './support/scripted-model.ts';

type Options = Pick<ConversationMemoryOptions, 'userAnalysisMemory'>;

const schema = z.object({
  name: z.string().optional(),
  address: z.object({ city: z.string().optional(), zip: z.string().max(5).optional() }).optional(),
  likes: z.array(z.string()).optional(),
  age: z.int().optional(),
});
const replace = { userAnalysisMemory: { mode: 'replace' } } as const;
const dynamic = { userAnalysisMemory: { dynamic: true } };
const long = 'x'.repeat(5_000);

interface Case {
  readonly what: string;
  readonly options?: Options;
  readonly known: object;
  readonly answer: object | string;
  readonly data: object;
  /** The fields that the error names; no error without. */
  readonly refused?: readonly string[];
}

const CASES: readonly Case[] = [
  ...[{}, { changes: [] }, { changes: 'none' }].map((answer) => ({
    what: `${JSON.stringify(answer)} replaces nothing`,
    options: replace,
    known: { name: 'Ada' },
    answer,
    data: { name: 'Ada' },
  })),
  ...['N/A', 'null', 'No change', 'unknown', 'string', ['none']].flatMap((blank) =>
    [{}, replace].map((options) => ({
      what: `${JSON.stringify(blank)} replaces no value, with ${JSON.stringify(options)}`,
      options,
      known: { name: 'Ada', interests: ['tea'] },
      answer: {
        changes: [
          { field: 'name', value: [blank].flat()[0] },
          { field: 'interests', value: [blank].flat() },
          { field: 'location', value: 'N/A' },
          { field: 'goals', value: ['None of the above is a band'] },
        ],
      },
      data: { name: 'Ada', interests: ['tea'], goals: ['None of the above is a band'] },
    })),
  ),
  {
    what: '"none" is a value of a field of which nothing was known',
    options: dynamic,
    known: { pet: 'cat' },
    answer: { allergies: 'none', pet: 'none' },
    data: { pet: 'cat', allergies: 'none' },
  },
  {
    what: 'an object of fields and values is a list of changes',
    options: { userAnalysisMemory: { schema } },
    known: { name: 'Ada', address: { zip: '4000' } },
    answer: { changes: { 'address.city': 'Porto', likes: ['tea'] } },
    data: { name: 'Ada', address: { zip: '4000', city: 'Porto' }, likes: ['tea'] },
  },
  {
    what: 'a list of such objects is one, too',
    known: { name: 'Ada' },
    answer: { changes: [{ location: 'Porto' }, { occupation: 'pilot', goals: ['rest'] }] },
    data: { name: 'Ada', location: 'Porto', occupation: 'pilot', goals: ['rest'] },
  },
  {
    what: 'changes one after another are all read',
    known: { name: 'Ada' },
    answer: '{"field":"location","value":"Porto"}\n{"field":"occupation","value":"pilot"}',
    data: { name: 'Ada', location: 'Porto', occupation: 'pilot' },
  },
  {
    what: 'profiles one after another are one',
    options: replace,
    known: { goals: ['rest'] },
    answer: '{"name":"Ada"}\n{"location":"Porto"}',
    data: { name: 'Ada', location: 'Porto' },
  },
  {
    what: 'a dynamic profile beside its analysis is read',
    options: dynamic,
    known: { pet: 'cat' },
    answer: { analysis: 'Hm.', profile: { home_town: 'Porto' } },
    data: { pet: 'cat', home_town: 'Porto' },
  },
  {
    what: 'a dynamic profile as the properties of a schema is read',
    options: dynamic,
    known: { pet: 'cat' },
    answer: { type: 'object', properties: { home_town: 'Porto' } },
    data: { pet: 'cat', home_town: 'Porto' },
  },
  {
    what: 'a text for a list of texts is a list of one',
    known: { interests: ['tea'] },
    answer: { name: 'Ada', interests: 'chess' },
    data: { name: 'Ada', interests: ['chess'] },
  },
  {
    what: 'the same in a schema',
    options: { userAnalysisMemory: { schema } },
    known: {},
    answer: { likes: 'chess', address: { city: 'Porto' } },
    data: { likes: ['chess'], address: { city: 'Porto' } },
  },
  {
    what: 'null removes a field, and missing ones stay',
    known: { name: 'Ada', location: 'Lisbon', goals: ['rest'] },
    answer: { location: null },
    data: { name: 'Ada', goals: ['rest'] },
  },
  {
    what: 'null removes an inner field',
    options: { userAnalysisMemory: { schema } },
    known: { address: { city: 'Porto', zip: '4000' } },
    answer: { changes: [{ field: 'address.zip', value: null }] },
    data: { address: { city: 'Porto' } },
  },
  {
    what: 'null removes a dynamic field',
    options: dynamic,
    known: { pet: 'cat', home_town: 'Porto' },
    answer: { pet: null },
    data: { home_town: 'Porto' },
  },
  {
    what: 'a field of another type stays as it was, and the others are learnt',
    known: { name: 'Ada' },
    answer: { name: 7, location: 'Porto' },
    data: { name: 'Ada', location: 'Porto' },
    refused: ['profile.name'],
  },
  {
    what: 'the same in a schema, also for inner fields and several at once',
    options: { userAnalysisMemory: { schema } },
    known: { age: 36, address: { zip: '4000' } },
    answer: { name: 'Ada', age: 'old', address: { city: 'Porto', zip: '4000-001' } },
    data: { name: 'Ada', age: 36, address: { zip: '4000', city: 'Porto' } },
    refused: ['profile.age', 'profile.address.zip'],
  },
  {
    what: 'an unknown field is left out',
    known: { name: 'Ada' },
    answer: { location: 'Porto', shoe_size: 38 },
    data: { name: 'Ada', location: 'Porto' },
    refused: ['profile.<field 3>'],
  },
  {
    what: 'a field that is too long is left out',
    options: dynamic,
    known: { pet: 'cat' },
    answer: { pet: 'dog', diary: long },
    data: { pet: 'dog' },
    refused: ['profile.<field 2>'],
  },
  {
    what: 'a whole profile keeps what it had in place of a wrong field',
    options: replace,
    known: { name: 'Ada', location: 'Porto', goals: ['rest'] },
    answer: { name: 7, location: 'Lisbon' },
    data: { name: 'Ada', location: 'Lisbon' },
    refused: ['profile.name'],
  },
  {
    what: 'nothing changes if nothing is left of an answer',
    known: { name: 'Ada' },
    answer: { name: 7 },
    data: { name: 'Ada' },
    refused: ['profile.name'],
  },
  {
    what: 'nothing changes if nothing is left of a whole profile',
    options: replace,
    known: { name: 'Ada', location: 'Porto' },
    answer: { name: 7 },
    data: { name: 'Ada', location: 'Porto' },
    refused: ['profile.name'],
  },
];

it.each(CASES)('$what', async ({ options, known, answer, data, refused = [] }) => {
  const model = new ScriptedModel(known, answer);
  const store = new InMemoryStore({ name: 'conversations' });
  const agent = new ConversationMemory({ store, model, userAnalysisMemory: true, ...options }).for('agent', {
    userId: 'ada',
  });
  expect((await agent.save({ status: 'completed', items: [user('One')] })).errors).toEqual([]);
  const { errors } = await agent.save({ status: 'completed', items: [user('Two')] });
  expect((await agent.userMemory?.get())?.data ?? {}).toEqual(data);
  const messages = errors.map(({ error }) => String(error));
  expect(messages).toHaveLength(refused.length > 0 ? 1 : 0);
  for (const path of refused) expect(messages[0]).toContain(`\`${path}\``);
  expect(messages.join()).not.toContain('4000-001');
});

const properties = { pet: { type: 'string' } };

it.each<[answer: object, options: Options]>([
  [{ error: 'rate limited' }, dynamic],
  [{ error: { message: 'rate limited' }, pet: 'dog' }, dynamic],
  [{ message: 'rate limited', code: 429 }, dynamic],
  [{ detail: 'Not Found' }, { userAnalysisMemory: { dynamic: true, mode: 'replace' } }],
  [{ type: 'object', properties, required: ['pet'] }, dynamic],
  [{ error: 'rate limited' }, replace],
  [{ changes: 'see above' }, replace],
  [{ changes: { town: 'Porto' } }, replace],
  [{ changes: { field: 'location' } }, replace],
  [{ changes: [{ name: 'location', val: 'Porto' }] }, replace],
  [{ changes: [{ field: 'location', value: 'Porto' }, { town: 'Porto' }] }, replace],
  [{ changes: { town: 'Porto' } }, {}],
])('%j is an error and changes no profile, with %j', async (answer, options) => {
  const { userAnalysisMemory: analysis } = options;
  const known = typeof analysis === 'object' && analysis.dynamic ? { pet: 'cat' } : { name: 'Ada' };
  const model = new ScriptedModel(known, answer, answer);
  const store = new InMemoryStore({ name: 'conversations' });
  const agent = new ConversationMemory({ store, model, userAnalysisMemory: true, ...options }).for('agent', {
    userId: 'ada',
  });
  await agent.save({ status: 'completed', items: [user('One')] });
  const { errors } = await agent.save({ status: 'completed', items: [user('Two')] });
  expect(errors).toHaveLength(1);
  expect((await agent.userMemory?.get())?.data).toEqual(known);
});
