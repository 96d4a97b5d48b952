import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { turn, user } from '../support/items.ts';
import { openMemory, type Suite } from './suite.ts';

const program = (name: string) => join(import.meta.dirname, '../programs', name);

export function processCases(suite: Suite): void {
  const shared = suite.backend.shared ? it : it.skip;

  shared('two processes save 50 runs at the same time: none is lost, and their order is that of seq', async () => {
    const place = suite.backend.makePlace();
    const agent = openMemory(suite, {}, place).for('agent', { sessionId: 'shared' });
    // The first use creates the place.
    expect(await agent.getMessages()).toEqual([]);
    const ended = await Promise.all(
      ['one', 'two'].map((name) => runProgram(program('save-many.ts'), [name, '25', ...(place.address ?? [])])),
    );
    expect(ended.map(({ status, stderr }) => [status, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const said = (await agent.getMessages()).map(({ content }) => String(content));
    expect(said).toHaveLength(50);
    for (const name of ['one', 'two']) {
      expect(said.filter((text) => text.startsWith(name))).toEqual(
        Array.from({ length: 25 }, (_, n) => `${name} ${n}`),
      );
    }
    const seqs = await Promise.all(said.map(async (runId) => (await agent.loadRun(runId))?.seq));
    expect(seqs).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  shared('another process resumes a run with equal contents', async () => {
    const place = suite.backend.makePlace();
    const agent = openMemory(suite, { fullSessionMemory: true }, place).for('agent', { sessionId: 'elsewhere' });
    const checkpoint = { stack: [{ at: 'approval', of: ['é', null, 1.5, { deep: true }] }], text: '🦩\u2028' };
    await agent.save({ runId: 'r', status: 'paused', items: [user('refund')], checkpoint, usage: { tokens: 3 } });
    const { stdout, stderr } = await runProgram(program('load-run.ts'), ['r', ...(place.address ?? [])]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ runId: 'r', status: 'paused', items: [user('refund')], checkpoint });
    expect(JSON.parse(stdout).checkpoint).toEqual(checkpoint);
    expect(await agent.loadResumableRun('r')).toBeUndefined();
    expect(await agent.getMessages()).toEqual([user('refund'), { role: 'assistant', content: 'Done.' }]);
    await agent.save(turn('next'));
    expect((await agent.getMessages()).length).toBe(4);
  });
}
