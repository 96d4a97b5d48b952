import { isMemoryError, type MemoryModel } from '@keepsake/core';
import { strictSchema } from '@keepsake/internal';
import { READABLE_FORMS, REFUSALS, UNREADABLE_FORMS } from '@keepsake/testing/answer-forms';
import { describe, expect, it } from 'vitest';
import { Meter, type Question } from '../src/generate/cost.ts';
import { ACTIONS_SCHEMA } from '../src/prompts/consolidation.ts';
import { EXTRACTION_SCHEMA } from '../src/prompts/extraction.ts';

/* The answers of both phases are read as those for memories, summaries and profiles. */

const answers = (text: string): MemoryModel => ({ generate: async () => ({ text }) });
const signal = new AbortController().signal;
const question = { system: 'S', prompt: 'P' };

const PHASES: Readonly<Record<string, readonly [json: string, schema: Question['schema']]>> = {
  extraction: [
    '{"rolloutSummary":"Tests run in Docker, in the folder app.","rolloutSlug":null,"rawMemory":"Use make."}',
    EXTRACTION_SCHEMA,
  ],
  consolidation: [
    '{"actions":[{"tool":"write","path":"a.md","text":"Tests run in Docker.","find":null}],"done":"yes"}',
    ACTIONS_SCHEMA,
  ],
};

/** Whether white space is all that differs. */
const spaced = (value: unknown) => JSON.stringify(value).replaceAll('\\n', ' ').replaceAll(/ +/g, ' ');

describe.each(Object.entries(PHASES))('the answer of the %s', (_, [json, schema]) => {
  const ask = (text: string) =>
    new Meter(answers(text), { modelTimeoutMs: 1_000 }).ask({ ...question, schema }, signal);

  it.each(Object.entries(READABLE_FORMS))('is read: %s', async (_, form) => {
    expect(spaced(await ask(form(json)))).toBe(spaced(JSON.parse(json)));
  });

  it.each([...Object.values(UNREADABLE_FORMS).map((form) => form(json)), ...REFUSALS])(
    'is an error: %j',
    async (text) => {
      await expect(ask(text)).rejects.toSatisfy((error) => isMemoryError(error, 'BACKEND'));
    },
  );

  it('has a schema that services with strict schemas accept', () => expect(strictSchema(schema)).toEqual(schema));
});
