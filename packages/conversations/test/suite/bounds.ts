import type { JsonObject } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { assistant, call, result, turn, user } from '../support/items.ts';
import { ScriptedModel } from '../support/scripted-model.ts';
import { openMemory, type Suite } from './suite.ts';

/** The limit of a prompt with the default of 8,000 tokens. */
const MAX_PROMPT = 24_000;

/** Far more than fit into a prompt. */
const MESSAGES = rounds(5_000);
const RUNS = rounds(50, 10);

export function boundCases(suite: Suite): void {
  it.each([
    [`one run of ${MESSAGES} messages`, 1],
    [`${RUNS} runs of ${MESSAGES / RUNS} messages`, RUNS],
  ])('no prompt about %s is over the limit', { timeout: 120_000 }, async (_, runs) => {
    const model = new ScriptedModel({ summary: 'So far.', name: 'Alice' });
    const place = suite.backend.makePlace();
    const key = { sessionId: 's', userId: 'alice' };
    const agent = openMemory(
      suite,
      {
        model,
        summaryMemory: true,
        userAnalysisMemory: { dynamic: true },
        load: { toolCalls: true },
      },
      place,
    ).for('agent', key);
    const calls = Math.floor((MESSAGES * 0.24) / runs);
    const items = [
      ...Array.from({ length: calls }, (_, n) => [call(`c${n}`), { ...result(`c${n}`), output: '<&>'.repeat(300) }]),
      ...Array.from({ length: (MESSAGES / runs - 2 * calls) / 2 }, (_, n) => [
        user(`I said ${n} ${'ß🦩&'.repeat(40)}`),
        assistant(`You said ${n} ${'x'.repeat(200)}`),
      ]),
    ].flat();
    expect(items).toHaveLength(MESSAGES / runs);
    const before = openMemory(suite, { fullSessionMemory: true }, place).for('agent', key);
    for (let n = 1; n < runs; n++) await before.save({ status: 'completed', items });
    const saved = await agent.save({ status: 'completed', items });
    expect(saved.errors).toEqual([]);
    expect(await agent.catchUp()).toEqual({ errors: [], pending: [] });
    expect((await agent.getSession())?.summary).toEqual({ text: 'So far.', throughSeq: runs });
    expect((await agent.userMemory?.get())?.data.name).toBe('Alice');
    const sizes = model.requests.map(({ prompt }) => Buffer.byteLength(prompt));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_PROMPT);
    expect(Math.max(...sizes)).toBeGreaterThan(MAX_PROMPT / 2);
  });

  it.each([
    ['a field', { notes: 'x'.repeat(1_000_000) }],
    ['a field of many entries', { notes: Array.from({ length: 2_000 }, (_, n) => `entry ${n}`) }],
    ['its keys', { notes: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, 1])) }],
    ['the length of a key', { notes: { ['k'.repeat(1_000)]: 1 } }],
    ['the whole', Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`field_${n}`, 'x'.repeat(1_000)]))],
  ])('a profile that is over the limit for %s is refused and not injected', async (_, data) => {
    const model = new ScriptedModel({ notes: 'Likes tea.' }, data as JsonObject);
    const userProfileSchema = z.record(z.string(), z.any());
    const agent = openMemory(suite, { model, userAnalysisMemory: { schema: userProfileSchema } }).for('agent', {
      userId: 'alice',
    });
    expect((await agent.save(turn('one'))).errors).toEqual([]);
    const { errors, pending } = await agent.save(turn('two'));
    expect(errors).toMatchObject([{ processor: 'profile', error: { code: 'TOO_LARGE' } }]);
    expect(String(errors[0]?.error)).not.toContain('xxx');
    expect(pending).toEqual(['profile']);
    expect((await agent.userMemory?.get())?.data).toEqual({ notes: 'Likes tea.' });
    expect((await agent.prepare()).systemPromptInjection).toBe('<UserProfile>\n- notes: Likes tea.\n</UserProfile>');
  });
}
