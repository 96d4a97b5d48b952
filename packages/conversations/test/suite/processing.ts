import type { JsonObject } from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ProfileInput, StandardSchema } from '../../src/index.ts';
import { turn, user } from '../support/items.ts';
import { ScriptedModel } from '../support/scripted-model.ts';
import { openMemory, type Suite } from './suite.ts';

const SCHEMAS: Readonly<Record<string, StandardSchema>> = {
  zod: z.object({
    name: z.string().optional(),
    address: z.object({ city: z.string().optional(), zip: z.string().optional() }).optional(),
    likes: z.array(z.string()).optional(),
  }),
  Valibot: v.object({
    name: v.optional(v.string()),
    address: v.optional(v.object({ city: v.optional(v.string()), zip: v.optional(v.string()) })),
    likes: v.optional(v.array(v.string())),
  }),
  ArkType: type({
    'name?': 'string',
    'address?': { 'city?': 'string', 'zip?': 'string' },
    'likes?': 'string[]',
  }),
};

export function processingCases(suite: Suite): void {
  describe('a summary', () => {
    it('continues the previous one with the messages since then', async () => {
      const model = new ScriptedModel({ summary: 'First.' }, { summary: 'Second.' });
      const agent = openMemory(suite, { model, summaryMemory: true }).for('agent');
      await agent.save(turn('alpha'));
      await agent.save(turn('beta'));
      expect((await agent.getSession())?.summary).toEqual({ text: 'Second.', throughSeq: 2 });
      expect(model.requests).toHaveLength(2);
      expect(model.requests[0]?.prompt).toContain('alpha');
      expect(model.requests[1]?.prompt).toContain('First.');
      expect(model.requests[1]?.prompt).not.toContain('alpha');
    });

    it('and a profile contain no secrets that a model wrote into them', async () => {
      const secret = 'hunter2hunter2';
      const model = new ScriptedModel({ summary: `Her password is ${secret}.` });
      const profiler = {
        async analyse(): Promise<JsonObject> {
          return { name: 'Alice', goals: [`Use password=${secret}`] };
        },
      };
      const agent = openMemory(suite, { model, summaryMemory: true, userAnalysisMemory: { profiler } }).for('agent');
      expect((await agent.save(turn('one'))).errors).toEqual([]);
      expect((await agent.getSession())?.summary?.text).toBe('Her password is [redacted]');
      expect((await agent.userMemory?.get())?.data.goals).toEqual(['Use password=[redacted]']);
    });

    it('that fails keeps the old one and the run, and the next save makes up for it', async () => {
      const model = new ScriptedModel({ summary: 'First.' }, new Error('no model'), { summary: 'Third.' });
      const agent = openMemory(suite, { model, fullSessionMemory: true, summaryMemory: true }).for('agent');
      await agent.save(turn('alpha'));
      const { stored, errors } = await agent.save(turn('beta'));
      expect({ stored, errors }).toEqual({
        stored: true,
        errors: [{ processor: 'summary', error: new Error('no model') }],
      });
      expect((await agent.getSession())?.summary).toEqual({ text: 'First.', throughSeq: 1 });
      expect(await agent.getMessages()).toHaveLength(4);
      await agent.save(turn('gamma'));
      expect((await agent.getSession())?.summary).toEqual({ text: 'Third.', throughSeq: 3 });
      expect(model.requests[2]?.prompt).toMatch(/beta.*gamma/s);
    });

    it('includes a run that completes after later runs', async () => {
      const model = new ScriptedModel({ summary: 'One.' }, { summary: 'Two.' });
      const agent = openMemory(suite, { model, summaryMemory: true }).for('agent');
      await agent.save({ runId: 'late', status: 'paused', items: [user('alpha')] });
      await agent.save(turn('beta'));
      await agent.save({ ...turn('alpha'), runId: 'late' });
      expect((await agent.getSession())?.summary).toEqual({ text: 'Two.', throughSeq: 2 });
      expect(model.requests[1]?.prompt).toContain('alpha');
      expect(model.requests[1]?.prompt).not.toContain('beta');
      await agent.save({ ...turn('alpha'), runId: 'late' });
      expect(model.requests).toHaveLength(2);
    });

    it('is made in several steps if the messages exceed maxTokens of the summariser', async () => {
      const place = suite.backend.makePlace();
      const before = openMemory(suite, { fullSessionMemory: true }, place).for('agent', { sessionId: 's' });
      for (let n = 0; n < 12; n++) await before.save(turn(`word${n} ${'x'.repeat(600)}`));
      const seen: string[][] = [];
      const agent = openMemory(
        suite,
        {
          summaryMemory: {
            summariser: {
              maxTokens: 1_000,
              async summarise({ said }) {
                seen.push(said.filter(({ role }) => role === 'user').map(({ text }) => text.split(' ')[0] ?? ''));
                return 'So far.';
              },
            },
          },
        },
        place,
      ).for('agent', { sessionId: 's' });
      await agent.save(turn('word12'));
      expect(seen.length).toBeLessThanOrEqual(4);
      for (const words of seen) expect(words.length).toBeLessThanOrEqual(3);
      for (let n = 0; n < 4; n++) await agent.save(turn('more'));
      expect((await agent.getSession())?.summary?.throughSeq).toBe(17);
      expect(seen.flat().slice(0, 13)).toEqual(Array.from({ length: 13 }, (_, n) => `word${n}`));
    });
  });

  describe.each(Object.entries(SCHEMAS))('a profile with a schema of %s', (_, userProfileSchema) => {
    it('grows: missing fields stay, objects are merged, lists are replaced, and null removes a field', async () => {
      const model = new ScriptedModel(
        { name: 'Alice', address: { city: 'Berlin', zip: '10115' }, likes: ['tea', 'rain'] },
        { address: { city: 'Lisbon' }, likes: ['tea'] },
        { likes: null, name: 'Alice B.' },
      );
      const agent = openMemory(suite, { model, userAnalysisMemory: { schema: userProfileSchema } }).for('agent', {
        userId: 'alice',
      });
      expect((await agent.save(turn('one'))).errors).toEqual([]);
      expect((await agent.save(turn('two'))).errors).toEqual([]);
      const data = { name: 'Alice', address: { city: 'Lisbon', zip: '10115' }, likes: ['tea'] };
      expect(await agent.userMemory?.get()).toEqual({ userId: 'alice', scope: 'user', data, version: putTimes(2) });
      expect((await agent.prepare()).systemPromptInjection).toBe(
        '<UserProfile>\n- name: Alice\n- address.city: Lisbon\n- address.zip: 10115\n- likes: tea\n</UserProfile>',
      );
      for (const name of ['name', 'address', 'likes']) expect(model.requests[0]?.system).toContain(name);
      expect((await agent.save(turn('three'))).errors).toEqual([]);
      expect((await agent.userMemory?.get())?.data).toEqual({ name: 'Alice B.', address: data.address });
    });

    it.each(['update', 'replace'] as const)('stays unchanged if an answer is invalid (%s)', async (userMemoryMode) => {
      const model = new ScriptedModel(
        { name: 'Alice' },
        { name: 7, likes: [{ no: 'SECRET' }] },
        'no JSON',
        'none',
        [],
        {
          name: 'Eve',
        },
      );
      const agent = openMemory(suite, {
        model,
        userAnalysisMemory: { schema: userProfileSchema, mode: userMemoryMode },
      }).for('agent', { userId: 'a' });
      await agent.save(turn('one'));
      for (const text of ['two', 'three']) {
        const { errors, stored } = await agent.save(turn(text));
        expect(errors).toMatchObject([{ processor: 'profile' }]);
        expect(String(errors[0]?.error)).not.toContain('SECRET');
        expect(stored).toBe(true);
        expect(await agent.userMemory?.get()).toMatchObject({ data: { name: 'Alice' }, version: putTimes(1) });
      }
    });
  });

  describe('a profile', () => {
    it('is replaced by the valid fields of an answer', async () => {
      const model = new ScriptedModel({ name: 'Alice', goals: ['Rest'] }, { name: 'Eve', goals: null });
      const agent = openMemory(suite, { model, userAnalysisMemory: { mode: 'replace' } }).for('agent', {
        userId: 'a',
      });
      await agent.save(turn('one'));
      await agent.save(turn('two'));
      expect((await agent.userMemory?.get())?.data).toEqual({ name: 'Eve' });
    });

    it('has at most maxKeys dynamic fields, which are reused', async () => {
      const model = new ScriptedModel({ home_town: 'Porto', pet: 'cat' }, { pet: 'dog', hobby: 'chess', job: 'baker' });
      const agent = openMemory(suite, { model, userAnalysisMemory: { dynamic: { maxKeys: 3 } } }).for('agent', {
        userId: 'a',
      });
      await agent.save(turn('one'));
      await agent.save(turn('two'));
      expect((await agent.userMemory?.get())?.data).toEqual({ home_town: 'Porto', pet: 'dog', hobby: 'chess' });
      expect(model.requests[1]?.prompt).toContain('home_town');
      expect(model.requests[1]?.system).toContain('up to 1 of your own');
    });

    it('is made only from what the user said since the last update', async () => {
      const model = new ScriptedModel({ name: 'Alice' });
      const memory = openMemory(suite, { model, userAnalysisMemory: true });
      const agent = memory.for('agent', { userId: 'alice' });
      await agent.save(turn('alpha'));
      await agent.save(turn('beta'));
      const said = (place: number) => model.requests[place]?.prompt.split('<said>')[1];
      expect(said(0)).toContain('<message>alpha</message>');
      expect(said(1)).toContain('<message>beta</message>');
      expect(said(1)).not.toMatch(/alpha|You said/);
      await memory.for('team', { userId: 'alice', sessionId: 'another' }).save(turn('gamma'));
      expect(model.requests[2]?.prompt).toContain('Alice');
    });

    it('of a user is shared by all sessions and kinds, and without a user belongs to one session', async () => {
      const model = new ScriptedModel({ name: 'Alice' });
      const memory = openMemory(suite, { model, userAnalysisMemory: true });
      await memory.for('agent', { userId: 'alice', sessionId: '1' }).save(turn('x'));
      await memory.for('agent', { sessionId: '2' }).save(turn('x'));
      const knows = async (handle: ReturnType<typeof memory.for>) =>
        (await handle.prepare()).systemPromptInjection !== '';
      expect(await knows(memory.for('workflow', { userId: 'alice', sessionId: '3' }))).toBe(true);
      expect(await knows(memory.for('agent', { userId: 'bob', sessionId: '4' }))).toBe(false);
      expect(await knows(memory.for('agent', { sessionId: '5' }))).toBe(false);
      expect(await knows(memory.for('agent', { sessionId: '2' }))).toBe(true);
      expect((await memory.for('agent', { sessionId: '2' }).userMemory?.get())?.scope).toBe('session');
      expect(await memory.for('agent', { userId: 'alice' }).userMemory?.delete()).toBe(true);
      expect(await knows(memory.for('agent', { userId: 'alice', sessionId: '1' }))).toBe(false);
    });

    it.each(['update', 'replace'] as const)(
      'contains the facts of two concurrent sessions (%s)',
      async (userMemoryMode) => {
        const both = Promise.withResolvers<void>();
        let asked = 0;
        const place = suite.backend.makePlace();
        const options = {
          userAnalysisMemory: {
            mode: userMemoryMode,
            profiler: {
              async analyse({ known, said }: ProfileInput): Promise<JsonObject> {
                if (++asked === 2) both.resolve();
                await both.promise;
                return { goals: [...((known.goals as string[] | undefined) ?? []), ...said.map(({ text }) => text)] };
              },
            },
          },
        };
        // Two memories, because the sessions of one take turns.
        const of = (sessionId: string) =>
          openMemory(suite, options, place).for('agent', { sessionId, userId: 'alice' });
        const saved = await Promise.all(['1', '2'].map((id) => of(id).save(turn(id))));
        expect(saved.flatMap(({ errors }) => errors)).toEqual([]);
        const goals = (await of('1').userMemory?.get())?.data.goals as string[];
        expect(goals.toSorted()).toEqual(['1', '2']);
      },
    );

    it('that is deleted during an update does not come back', async () => {
      let forget: (() => Promise<unknown>) | undefined;
      const agent = openMemory(suite, {
        userAnalysisMemory: {
          mode: 'replace',
          profiler: {
            async analyse({ known, said }): Promise<JsonObject> {
              await forget?.();
              forget = undefined;
              return {
                ...known,
                goals: [...((known.goals as string[] | undefined) ?? []), ...said.map(({ text }) => text)],
              };
            },
          },
        },
      }).for('agent', { userId: 'alice' });
      await agent.save(turn('one'));
      const { userMemory } = agent;
      if (userMemory === undefined) throw new Error('The handle has no userMemory.');
      forget = () => userMemory.delete();
      expect((await agent.save(turn('two'))).errors).toEqual([]);
      expect(await userMemory.get()).toMatchObject({ data: { goals: ['two'] }, version: putTimes(1) });
    });

    it('can be made by a custom profiler', async () => {
      const seen: unknown[] = [];
      const agent = openMemory(suite, {
        userAnalysisMemory: {
          profiler: {
            async analyse(input): Promise<JsonObject> {
              seen.push(input.said);
              return { name: 'Alice', goals: ['Rest'] };
            },
          },
        },
      }).for('agent');
      expect((await agent.save(turn('one'))).errors).toEqual([]);
      expect(seen).toEqual([[{ role: 'user', text: 'one' }]]);
      expect((await agent.userMemory?.get())?.data).toEqual({ name: 'Alice', goals: ['Rest'] });
    });
  });
}
