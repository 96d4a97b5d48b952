import { InMemoryStore } from '@keepsake/in-memory';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ConversationMemory, type ConversationMemoryOptions } from '../src/index.ts';
import { user } from './support/items.ts';
import { ScriptedModel } from './support/scripted-model.ts';

/* Models make names of fields from what users say, so errors show only the names that the application chose. */

type Options = Pick<ConversationMemoryOptions, 'userAnalysisMemory'>;

const schema = z.object({ name: z.string(), doctors: z.record(z.string(), z.object({ city: z.string() })) });
const dynamic = { userAnalysisMemory: { dynamic: true } };
const long = 'x'.repeat(5_000);

const ANSWERS: readonly (readonly [what: string, options: Options, answer: object, shown: string])[] = [
  ['a dynamic field', dynamic, { pet: 'cat', alice_diagnosis: { hiv: true } }, 'profile.<field 2>'],
  ['a dynamic name', dynamic, { 'alice diagnosis': 'hiv' }, 'profile.<field 1>'],
  ['a long dynamic field', dynamic, { pet: 'cat', alice_diagnosis: long }, 'profile.<field 2>'],
  ['a trait', {}, { name: 7 }, 'profile.name'],
  ['an unknown trait', {}, { name: 'Alice', alice_diagnosis: 'hiv' }, 'profile.<field 2>'],
  ['a long trait', {}, { goals: [long] }, 'profile.goals'],
  ['a field of a schema', { userAnalysisMemory: { schema } }, { name: 7, doctors: {} }, 'profile.name'],
  ['a missing field of a schema', { userAnalysisMemory: { schema } }, { name: 'Alice' }, 'profile.doctors'],
  [
    'a key of a record in a schema',
    { userAnalysisMemory: { schema } },
    { name: 'Alice', doctors: { alice_diagnosis: { city: 7 } } },
    'profile.doctors.<field 1>.city',
  ],
  [
    'an answer that is no object',
    { userAnalysisMemory: { schema: z.string() } },
    { alice_diagnosis: 'hiv' },
    'profile',
  ],
];

it.each(ANSWERS)(
  'the error for %s says where it is, without the words of a user',
  async (_, options, answer, shown) => {
    const agent = new ConversationMemory({
      store: new InMemoryStore({ name: 'conversations' }),
      model: new ScriptedModel(answer),
      userAnalysisMemory: true,
      ...options,
    }).for('agent', { userId: 'alice' });
    const { errors } = await agent.save({ status: 'completed', items: [user('Hi')] });
    const message = String(errors[0]?.error);
    expect(message).toContain(`\`${shown}\``);
    expect(message).not.toContain('diagnosis');
  },
);
