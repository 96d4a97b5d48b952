import { expect, it } from 'vitest';
import { user } from '../support/items.ts';
import { joining } from '../support/joining-summariser.ts';
import { openMemory, type Suite } from './suite.ts';

const said = (text: string) => ({ status: 'completed' as const, items: [user(text)] });

export function coalescingCases(suite: Suite): void {
  it('20 simultaneous saves need at most 8 model calls, and the summary and the profile include all of them', async () => {
    const { calls, summariser, profiler } = joining();
    const memory = openMemory(suite, { summaryMemory: { summariser }, userAnalysisMemory: { profiler } });
    const key = { sessionId: 's', userId: 'alice' };
    const words = Array.from({ length: 20 }, (_, n) => `word ${n}`);
    const saved = await Promise.all(words.map((word) => memory.for('agent', key).save(said(word))));
    expect(calls.summary + calls.profile).toBeLessThanOrEqual(8);
    expect(saved.flatMap(({ errors }) => errors)).toEqual([]);
    const agent = memory.for('agent', key);
    expect(await agent.save(said('last'))).toMatchObject({ errors: [], pending: [] });
    const session = await agent.getSession();
    expect(session?.summary?.throughSeq).toBe(21);
    expect(session?.summary?.text.split('\n').toSorted()).toEqual([...words, 'last'].toSorted());
    const goals = (await agent.userMemory?.get())?.data.goals as string[];
    expect(goals.toSorted()).toEqual([...words, 'last'].toSorted());
  });

  it('sessions of one user take turns at the profile, so no answer of the profiler is wasted', async () => {
    const { calls, profiler } = joining();
    const memory = openMemory(suite, { userAnalysisMemory: { profiler } });
    const ids = Array.from({ length: 6 }, (_, n) => `session ${n}`);
    const of = (sessionId: string) => memory.for('agent', { sessionId, userId: 'alice' });
    const saved = await Promise.all(ids.map((id) => of(id).save(said(id))));
    expect(saved).toEqual(saved.map((one) => expect.objectContaining({ ...one, errors: [], pending: [] })));
    expect(calls.profile).toBe(6);
    const goals = (await of('session 0').userMemory?.get())?.data.goals as string[];
    expect(goals.toSorted()).toEqual(ids);
  });

  it('a save reports a summary and a profile that could not be finished, and the next call finishes them', async () => {
    const { calls, ...processors } = joining();
    const place = suite.backend.makePlace();
    const key = { sessionId: 's', userId: 'alice' };
    const before = openMemory(suite, { fullSessionMemory: true }, place).for('agent', key);
    for (let n = 0; n < 9; n++) await before.save(said(`word ${n} ${'x'.repeat(1_500)}`));
    const agent = openMemory(
      suite,
      {
        summaryMemory: { summariser: { ...processors.summariser, maxTokens: 1_000 } },
        userAnalysisMemory: {
          profiler: {
            ...processors.profiler,
            maxTokens: 1_000,
            analyse: async () => ({ goals: [`${++calls.profile}`] }),
          },
        },
      },
      place,
    ).for('agent', key);
    expect(await agent.save(said('last'))).toMatchObject({ errors: [], pending: ['summary', 'profile'] });
    expect(await agent.catchUp()).toEqual({ errors: [], pending: [] });
    expect((await agent.getSession())?.summary?.text.split('\n')).toHaveLength(10);
    const needed = calls.summary + calls.profile;
    expect(await agent.catchUp()).toEqual({ errors: [], pending: [] });
    expect(calls.summary + calls.profile).toBe(needed);
  });
}
