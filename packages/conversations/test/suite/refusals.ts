import type { JsonObject } from '@keepsake/core';
import { mulberry32 } from '@keepsake/testing/mulberry32';
import { rounds } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { turn, user } from '../support/items.ts';
import { joined } from '../support/joining-summariser.ts';
import { openMemory, type Suite } from './suite.ts';

/** A summariser that refuses every prompt with a text, and one that has stopped answering. */
function refusing(text: string) {
  const seen: string[][] = [];
  const summariser = {
    isDown: false,
    async summarise(input: Parameters<typeof joined>[0]) {
      const said = input.said.map((one) => one.text);
      seen.push(said);
      if (summariser.isDown) throw new Error('down');
      if (said.some((one) => one.includes(text))) throw new Error(`refused ${text}`);
      return joined(input);
    },
  };
  return { summariser, seen };
}

const SAVES = rounds(100, 20);

const said = (text: string) => ({ status: 'completed' as const, items: [user(text)] });

export function refusalCases(suite: Suite): void {
  it('a run that the model refuses is skipped after three tries and reported once, and later runs are summarised', async () => {
    const { summariser, seen } = refusing('poison');
    const agent = openMemory(suite, { summaryMemory: { summariser } }).for('agent', { userId: 'alice' });
    const reports: JsonObject[] = [];
    for (let n = 1; n <= SAVES; n++) {
      const { runId, errors } = await agent.save(said(n === 2 ? 'poison' : `word ${n}`));
      for (const { error, ...report } of errors) reports.push({ n, runId, ...report });
    }
    const run = (await agent.listRuns({ limit: 1_000 })).items.find(({ seq }) => seq === 2);
    expect(reports.filter((report) => 'skipped' in report)).toEqual([
      expect.objectContaining({ processor: 'summary', skipped: { runId: run?.runId, seq: 2 } }),
    ]);
    expect(reports.length).toBeLessThanOrEqual(3);
    expect(seen.filter((texts) => texts.includes('poison'))).toHaveLength(3);
    const session = await agent.getSession();
    expect(session?.skipped).toEqual({ summary: [2] });
    expect(session?.summary?.throughSeq).toBe(SAVES);
    const words = Array.from({ length: SAVES }, (_, n) => `word ${n + 1}`).toSpliced(1, 1);
    expect(session?.summary?.text.split('\n')).toEqual(words);
    expect((await agent.loadRun(run?.runId ?? ''))?.items).toEqual([user('poison')]);
  });

  it('runs that are refused next to each other are all skipped', async () => {
    const { summariser } = refusing('poison');
    const agent = openMemory(suite, { summaryMemory: { summariser } }).for('agent');
    const skipped: number[] = [];
    for (let n = 1; n <= 20; n++) {
      const { errors } = await agent.save(said(n >= 3 && n <= 5 ? `poison ${n}` : `word ${n}`));
      for (const failure of errors) if (failure.skipped !== undefined) skipped.push(failure.skipped.seq);
    }
    expect(skipped.toSorted()).toEqual([3, 4, 5]);
    const words = (await agent.getSession())?.summary?.text.split('\n') ?? [];
    expect(words.toSorted()).toEqual(
      [1, 2, 6, ...Array.from({ length: 14 }, (_, n) => n + 7)].map((n) => `word ${n}`).toSorted(),
    );
  });

  it('a refused run in a long backlog is found in a few saves', async () => {
    const { summariser, seen } = refusing('poison');
    const place = suite.backend.makePlace();
    const key = { sessionId: 's', userId: 'alice' };
    const before = openMemory(suite, { fullSessionMemory: true }, place).for('agent', key);
    for (let n = 1; n <= 40; n++) await before.save(said(n === 25 ? 'poison' : `word ${n}`));
    const agent = openMemory(suite, { summaryMemory: { summariser } }, place).for('agent', key);
    let saves = 0;
    for (let isPending = true; isPending; saves++) isPending = (await agent.save(said('more'))).pending.length > 0;
    // Four steps per save, each with one run.
    expect(saves).toBeLessThanOrEqual(16);
    expect(seen.length).toBeLessThanOrEqual(60);
    const session = await agent.getSession();
    expect(session?.skipped).toEqual({ summary: [25] });
    expect(session?.summary?.text.split('\n')).toEqual([
      ...Array.from({ length: 40 }, (_, n) => `word ${n + 1}`).toSpliced(24, 1),
      ...Array.from({ length: saves }, () => 'more'),
    ]);
  });

  it('runs that the model takes only alone are all summarised, and no failure is left', async () => {
    const place = suite.backend.makePlace();
    const key = { sessionId: 's', userId: 'alice' };
    const before = openMemory(suite, { fullSessionMemory: true }, place).for('agent', key);
    const words = [`long ${'x'.repeat(4_000)}`, 'word 2', 'word 3', 'word 4'];
    for (const word of words) await before.save(said(word));
    const summariser = {
      maxTokens: 1_000,
      async summarise(input: Parameters<typeof joined>[0]) {
        if (input.said.length > 1) throw new Error('too much');
        return joined(input);
      },
    };
    const agent = openMemory(suite, { summaryMemory: { summariser } }, place).for('agent', key);
    expect(await agent.catchUp()).toEqual({ errors: [], pending: [] });
    expect((await agent.getSession())?.summary).toEqual({ text: words.join('\n'), throughSeq: 4 });
  });

  it('a run that is skipped during simultaneous saves is reported by one of them', async () => {
    const { summariser } = refusing('poison');
    const memory = openMemory(suite, { summaryMemory: { summariser } });
    const agent = () => memory.for('agent', { sessionId: 's', userId: 'alice' });
    await agent().save(said('poison'));
    const reports: unknown[] = [];
    for (let round = 0; round < 4; round++) {
      const words = Array.from({ length: 5 }, (_, n) => `word ${round} ${n}`);
      const saved = await Promise.all(words.map((word) => agent().save(said(word))));
      for (const { skipped } of saved.flatMap(({ errors }) => errors)) if (skipped !== undefined) reports.push(skipped);
    }
    expect(reports).toEqual([expect.objectContaining({ seq: 1 })]);
    expect((await agent().getSession())?.summary?.throughSeq).toBe(21);
  });

  it.each([529, 503, 500])('no run is skipped if one call in five fails with a status of %i', async (status) => {
    for (let seed = 1; seed <= rounds(20, 4); seed++) {
      const luck = mulberry32(seed);
      const summariser = {
        async summarise(input: Parameters<typeof joined>[0]) {
          if (luck() < 0.2) throw Object.assign(new Error('Overloaded.'), { status });
          return joined(input);
        },
      };
      const agent = openMemory(suite, { summaryMemory: { summariser } }).for('agent');
      for (let n = 1; n <= 40; n++) await agent.save(said(`word ${n}`));
      for (let tries = 0; tries < 10; tries++) await agent.catchUp();
      const session = await agent.getSession();
      const words = Array.from({ length: 40 }, (_, n) => `word ${n + 1}`);
      expect([seed, session?.summary?.text.split('\n').toSorted()]).toEqual([seed, words.toSorted()]);
    }
  });

  it('no run is skipped while the model answers nothing', async () => {
    const { summariser } = refusing('poison');
    const agent = openMemory(suite, { summaryMemory: { summariser } }).for('agent');
    await agent.save(said('word 0'));
    summariser.isDown = true;
    for (let n = 1; n <= 12; n++) {
      const { errors, pending } = await agent.save(said(`word ${n}`));
      expect(errors).toMatchObject([{ processor: 'summary', error: new Error('down') }]);
      expect(errors[0]?.skipped).toBeUndefined();
      expect(pending).toEqual(['summary']);
    }
    summariser.isDown = false;
    expect(await agent.catchUp()).toEqual({ errors: [], pending: [] });
    const session = await agent.getSession();
    expect(session?.skipped).toBeUndefined();
    const words = Array.from({ length: 13 }, (_, n) => `word ${n}`);
    expect(session?.summary?.text.split('\n').toSorted()).toEqual(words.toSorted());
  });

  it('a run whose profile is never valid is skipped, and the profile learns from later runs', async () => {
    const agent = openMemory(suite, {
      userAnalysisMemory: {
        profiler: {
          async analyse({ said }): Promise<JsonObject> {
            const texts = said.map(({ text }) => text);
            return texts.includes('poison') ? { name: 7 } : { goals: texts };
          },
        },
      },
    }).for('agent', { userId: 'alice' });
    const skipped: unknown[] = [];
    for (const text of ['one', 'poison', 'two', 'three', 'four', 'five']) {
      for (const failure of (await agent.save(said(text))).errors) if (failure.skipped) skipped.push(failure.processor);
    }
    expect(skipped).toEqual(['profile']);
    expect((await agent.getSession())?.skipped).toEqual({ profile: [2] });
    expect((await agent.userMemory?.get())?.data.goals).toContain('five');
  });

  it('a refused run in one session holds up neither other sessions nor other users', async () => {
    const { summariser } = refusing('poison');
    const memory = openMemory(suite, { summaryMemory: { summariser } });
    const of = (sessionId: string, userId: string) => memory.for('agent', { sessionId, userId });
    await of('1', 'alice').save(said('poison'));
    for (const [sessionId, userId] of [
      ['2', 'alice'],
      ['3', 'bob'],
    ] as const) {
      expect(await of(sessionId, userId).save(turn('fine'))).toMatchObject({ errors: [], pending: [] });
    }
    expect((await of('1', 'alice').getSession())?.summary).toBeUndefined();
  });
}
