import { putTimes } from '@keepsake/testing/put-times';
import { expect, it } from 'vitest';
import { ConversationMemory, type ListedRun } from '../../src/index.ts';
import { turn, user } from '../support/items.ts';
import { newTraffic, watchedStore } from '../support/watched-store.ts';
import { openMemory, type Suite } from './suite.ts';

const ids = (runs: readonly ListedRun[]) => runs.map(({ runId }) => runId);

/** All runs of a list, read in small pages. */
async function all(
  list: (page: { limit: number; cursor: string | undefined }) => Promise<{
    readonly items: readonly ListedRun[];
    readonly cursor?: string;
  }>,
): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit: 2, cursor });
    expect(page.items.length).toBeLessThanOrEqual(2);
    found.push(...ids(page.items));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

export function listingRunsCases(suite: Suite): void {
  it('the runs of a session are listed by status, newest first, without their contents', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true, userId: 'alice' });
    const agent = memory.for('agent', { sessionId: 's*', agentId: 'refunds' });
    expect(await agent.listRuns()).toEqual({ items: [] });
    for (const n of [1, 2, 3]) await agent.save(turn('done', `done ${n}`));
    const paused = { status: 'paused', pauseReason: 'approval', checkpoint: { at: 1 }, output: 'so far' } as const;
    await agent.save({ ...paused, runId: 'waits', items: [user('refund')], usage: { tokens: 3 } });
    await agent.save({ runId: 'failed', status: 'error', items: [], error: { message: 'broken' } });
    await memory.for('team', { sessionId: 's*' }).save({ runId: 'of a team', status: 'paused', items: [] });
    await memory.for('agent', { sessionId: 's' }).save({ runId: 'elsewhere', status: 'paused', items: [] });
    expect(await all((page) => agent.listRuns(page))).toEqual(['failed', 'waits', 'done 3', 'done 2', 'done 1']);
    expect(await all((page) => agent.listRuns({ ...page, status: 'completed' }))).toEqual([
      'done 3',
      'done 2',
      'done 1',
    ]);
    expect((await agent.listRuns({ status: 'paused' })).items).toEqual([
      {
        key: { kind: 'agent', sessionId: 's*' },
        runId: 'waits',
        seq: 4,
        status: 'paused',
        pauseReason: 'approval',
        usage: { tokens: 3 },
        userId: 'alice',
        agentId: 'refunds',
        version: putTimes(1),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect(ids((await agent.listRuns({ sessionId: 's' })).items)).toEqual(['elsewhere']);
    expect((await agent.listRuns({ sessionId: 'none' })).items).toEqual([]);
  });

  it('unfinished runs of all sessions are listed for their user, newest first, until they complete', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    const of = (userId: string, sessionId: string, kind: 'agent' | 'team' = 'agent') =>
      memory.for(kind, { userId, sessionId });
    const save = (status: 'paused' | 'running' | 'error', runId: string) => ({ status, runId, items: [] });
    await of('alice', '1').save(save('paused', 'a1'));
    await of('bob', '2').save(save('paused', 'b1'));
    await of('alice', '3', 'team').save(save('paused', 'a2'));
    await of('alice', '1').save(save('error', 'a3'));
    await of('alice', '1').save(turn('done', 'a4'));
    await of('alice', '4').save(save('running', 'x'.repeat(512)));
    const long = 'x'.repeat(512);
    expect(await all((page) => memory.listRuns({ ...page, userId: 'alice' }))).toEqual([long, 'a3', 'a2', 'a1']);
    expect(await all((page) => memory.listRuns({ ...page, allUsers: true }))).toEqual([long, 'a3', 'a2', 'b1', 'a1']);
    const list = async (options: Parameters<typeof memory.listRuns>[0]) => ids((await memory.listRuns(options)).items);
    expect(await list({ userId: 'alice', status: 'paused' })).toEqual(['a2', 'a1']);
    expect(await list({ userId: 'alice', kind: 'team' })).toEqual(['a2']);
    expect(await list({ allUsers: true, sessionId: '1' })).toEqual(['a3', 'a1']);
    expect(await list({})).toEqual([]);
    await of('alice', '1').save(turn('now', 'a1'));
    await of('alice', '1').save(save('paused', 'a3'));
    expect(await list({ userId: 'alice', status: 'paused' })).toEqual(['a3', 'a2']);
    await of('alice', '3', 'team').deleteSession();
    expect(await list({ userId: 'alice', status: 'paused' })).toEqual(['a3']);
    await memory.eraseUser('alice');
    expect(await list({ allUsers: true })).toEqual(['b1']);
    const own = openMemory(suite);
    await own.for('agent').save(save('paused', 'mine'));
    await own.for('agent', { sessionId: 'other' }).save(save('paused', 'other'));
    expect(ids((await own.listRuns()).items)).toEqual(['mine']);
  });

  it('a run is listed even if the process ends while it is saved, and not after it has completed', async () => {
    const place = suite.backend.makePlace();
    for (const [status, failing] of [
      ['paused', 4],
      ['completed', 2],
    ] as const) {
      const traffic = newTraffic();
      const store = watchedStore(place.open(), traffic);
      const agent = new ConversationMemory({ store, fullSessionMemory: true }).for('agent', { sessionId: 's' });
      let writes = 0;
      traffic.before = (method) => {
        if (['put', 'delete'].includes(method) && ++writes > failing) throw new Error('killed');
      };
      await expect(agent.save({ runId: 'r', status, items: [] })).rejects.toThrow('killed');
      traffic.before = () => {};
      const listed = await new ConversationMemory({ store }).listRuns({ allUsers: true });
      expect(ids(listed.items)).toEqual(status === 'paused' ? ['r'] : []);
    }
  });

  it('listing runs refuses completed runs, other users and invalid options', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    const agent = memory.for('agent', { sessionId: 's', userId: 'alice' });
    await agent.save(turn('SECRET'));
    for (const call of [
      () => memory.listRuns({ status: 'completed' }),
      () => memory.listRuns({ status: 'done' as never }),
      () => memory.listRuns({ userId: null as never }),
      () => memory.listRuns({ sessionId: '' }),
      () => memory.listRuns({ limit: 0 }),
      () => agent.listRuns({ status: 'done' as never }),
      () => agent.listRuns({ limit: 0 }),
      () => memory.for('agent', { sessionId: 's', userId: 'bob' }).listRuns(),
      () => memory.for('agent', { sessionId: 'other', userId: 'bob' }).listRuns({ sessionId: 's' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
  });

  it('a heartbeat keeps a running run from being resumed, without changing its version', async () => {
    const place = suite.backend.makePlace();
    const agent = (staleAfterMs: number) => openMemory(suite, { staleAfterMs }, place).for('agent', { sessionId: 's' });
    const running = await agent(50).save({ runId: 'r', status: 'running', items: [] });
    const isResumable = async () => (await agent(50).loadResumableRun('r')) !== undefined;
    await expect.poll(isResumable).toBe(true);
    expect(await agent(50).heartbeat(running)).toBe(true);
    expect(await agent(3_600_000).loadResumableRun('r')).toBeUndefined();
    expect((await agent(0).loadResumableRun('r'))?.version).toEqual(putTimes(1));
    await expect.poll(isResumable).toBe(true);
    // Another process takes over.
    const taken = await agent(0).save({ runId: 'r', version: running.version, status: 'running', items: [] });
    expect(await agent(50).heartbeat(running)).toBe(false);
    expect(await agent(50).heartbeat(taken)).toBe(true);
    await agent(50)
      .save({ ...taken, status: 'paused', items: [] } as never)
      .catch(() => {});
    await agent(50).save({ runId: 'r', status: 'paused', items: [] });
    expect(await agent(50).heartbeat({ runId: 'r' })).toBe(false);
    expect(await agent(50).heartbeat({ runId: 'unknown' })).toBe(false);
    await expect(agent(50).heartbeat({ runId: '' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(agent(50).heartbeat('r' as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
}
