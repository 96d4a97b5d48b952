import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { turn, user } from '../support/items.ts';
import { joining } from '../support/joining-summariser.ts';
import { independent, inProcesses, openMemory, type Suite } from './suite.ts';

/** How many runs each process saves, one after the other, or at once in each session. */
const SAVES = rounds(25, 10);
const SAVES_OF_USERS = rounds(5, 3);

const run = (name: string, args: readonly string[]) =>
  runProgram(join(import.meta.dirname, '../programs', name), args, { environment: { NODE_NO_WARNINGS: '1' } });

export function processCases(suite: Suite): void {
  const shared = suite.backend.shared ? it : it.skip;

  shared(
    `two processes save ${2 * SAVES} runs at the same time: none is lost, and their order is that of seq`,
    independent(suite),
    async () => {
      const place = suite.backend.makePlace();
      const agent = openMemory(suite, {}, place).for('agent', { sessionId: 'shared' });
      // The first use creates the place.
      expect(await agent.getMessages()).toEqual([]);
      const ended = await Promise.all(
        ['one', 'two'].map((name) => run('save-many.ts', [name, `${SAVES}`, ...(place.address ?? [])])),
      );
      expect(ended.map(({ status, stderr }) => [status, stderr])).toEqual([
        [0, ''],
        [0, ''],
      ]);
      const said = (await agent.getMessages()).map(({ content }) => String(content));
      expect(said).toHaveLength(2 * SAVES);
      for (const name of ['one', 'two']) {
        expect(said.filter((text) => text.startsWith(name))).toEqual(
          Array.from({ length: SAVES }, (_, n) => `${name} ${n}`),
        );
      }
      const seqs = await Promise.all(said.map(async (runId) => (await agent.loadRun(runId))?.seq));
      expect(seqs).toEqual(Array.from({ length: 2 * SAVES }, (_, n) => n + 1));
    },
  );

  shared(
    'two processes save in two sessions of each of two users: summaries and profiles include all, and nothing else',
    inProcesses(suite),
    async () => {
      const place = suite.backend.makePlace();
      const { summariser, profiler } = joining();
      const memory = openMemory(suite, { summaryMemory: { summariser }, userAnalysisMemory: { profiler } }, place);
      const users = ['alice', 'bob'];
      const of = (userId: string, sessionId: string) =>
        memory.for('agent', { userId, sessionId: `${userId} ${sessionId}` });
      expect(await of('alice', '1').getSession()).toBeUndefined();
      const ended = await Promise.all(
        ['one', 'two'].map((name) => run('save-for-users.ts', [name, `${SAVES_OF_USERS}`, ...(place.address ?? [])])),
      );
      expect(ended.map(({ status, stderr }) => [status, stderr])).toEqual([
        [0, ''],
        [0, ''],
      ]);
      for (const userId of users) {
        for (const sessionId of ['1', '2']) {
          expect(await of(userId, sessionId).catchUp()).toEqual({ errors: [], pending: [] });
          const expected = ['one', 'two'].flatMap((name) =>
            Array.from({ length: SAVES_OF_USERS }, (_, n) => `${name} ${userId} ${sessionId} ${n}`),
          );
          const session = await of(userId, sessionId).getSession();
          expect(session?.summary?.text.split('\n').toSorted()).toEqual(expected.toSorted());
          const goals = (await of(userId, sessionId).userMemory?.get())?.data.goals as string[];
          expect(goals).toEqual(expect.arrayContaining(expected));
          expect(goals.every((goal) => goal.includes(userId))).toBe(true);
        }
      }
    },
  );

  shared(
    'after a kill during an update, the next save makes up for it, and the killed run is listed',
    inProcesses(suite),
    async () => {
      const place = suite.backend.makePlace();
      const { summariser } = joining();
      const agent = openMemory(suite, { summaryMemory: { summariser }, fullSessionMemory: true }, place).for('agent', {
        sessionId: 'killed',
        userId: 'alice',
      });
      expect(await agent.getSession()).toBeUndefined();
      const { signal } = await run('save-and-die.ts', ['lost', 'summary', ...(place.address ?? [])]);
      expect(signal).toBe('SIGKILL');
      expect((await agent.getSession())?.summary).toBeUndefined();
      expect((await agent.listRuns({ status: 'completed' })).items).toMatchObject([{ runId: 'lost' }]);
      expect(await agent.save({ status: 'completed', items: [user('next')] })).toMatchObject({
        errors: [],
        pending: [],
      });
      expect((await agent.getSession())?.summary).toEqual({ text: 'lost\nnext', throughSeq: 2 });
    },
  );

  shared('another process resumes a run with equal contents', inProcesses(suite), async () => {
    const place = suite.backend.makePlace();
    const agent = openMemory(suite, { fullSessionMemory: true }, place).for('agent', { sessionId: 'elsewhere' });
    const checkpoint = { stack: [{ at: 'approval', of: ['é', null, 1.5, { deep: true }] }], text: '🦩\u2028' };
    await agent.save({ runId: 'r', status: 'paused', items: [user('refund')], checkpoint, usage: { tokens: 3 } });
    const { stdout, stderr } = await run('load-run.ts', ['r', ...(place.address ?? [])]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ runId: 'r', status: 'paused', items: [user('refund')], checkpoint });
    expect(JSON.parse(stdout).checkpoint).toEqual(checkpoint);
    expect(await agent.loadResumableRun('r')).toBeUndefined();
    expect(await agent.getMessages()).toEqual([user('refund'), { role: 'assistant', content: 'Done.' }]);
    await agent.save(turn('next'));
    expect((await agent.getMessages()).length).toBe(4);
  });
}
