import type { MemoryError } from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { assistant, call, result, turn, user } from '../support/items.ts';
import { ScriptedModel } from '../support/scripted-model.ts';
import { openMemory, type Suite } from './suite.ts';

const rejectsWith = (code: MemoryError['code']) => expect.objectContaining({ code });

export function savingCases(suite: Suite): void {
  describe('flags', () => {
    it('store everything and inject nothing if saving is on and loading is off', async () => {
      const model = new ScriptedModel({ summary: 'They like tea.', name: 'Alice' });
      const agent = openMemory(suite, {
        model,
        fullSessionMemory: true,
        summaryMemory: true,
        userAnalysisMemory: { dynamic: true },
        load: { history: false, summary: false, profile: false },
      }).for('agent', { userId: 'alice' });
      expect((await agent.save(turn('tea'))).errors).toEqual([]);
      expect(await agent.prepare()).toEqual({
        messageHistory: [],
        contextInjection: '',
        systemPromptInjection: '',
        metadataInjection: '',
      });
      expect(await agent.getMessages()).toHaveLength(2);
      expect((await agent.getSession())?.summary).toEqual({ text: 'They like tea.', throughSeq: 1 });
      expect((await agent.userMemory?.get())?.data).toMatchObject({ name: 'Alice' });
    });

    it('store nothing of a completed run if all are off, but a failed run can be resumed', async () => {
      const agent = openMemory(suite).for('agent', { sessionId: 'off' });
      expect(await agent.save(turn('one', 'done'))).toEqual({
        runId: 'done',
        stored: false,
        errors: [],
        pending: [],
      });
      expect(await agent.loadRun('done')).toBeUndefined();
      expect(await agent.getSession()).toBeUndefined();
      await agent.save({ runId: 'failed', status: 'error', items: [user('two')], error: { message: 'broken' } });
      expect(await agent.loadResumableRun('failed')).toMatchObject({ status: 'error', error: { message: 'broken' } });
      await agent.save({ ...turn('two'), runId: 'failed' });
      expect(await agent.loadResumableRun('failed')).toBeUndefined();
      expect(await agent.loadRun('failed')).toMatchObject({ status: 'completed', items: [] });
      expect(await agent.getMessages()).toEqual([]);
    });
  });

  it.each(['paused', 'error', 'cancelled'] as const)(
    'a run with the status %s is stored but not processed',
    async (status) => {
      const model = new ScriptedModel({ summary: 'x' });
      const agent = openMemory(suite, { model, summaryMemory: true, userAnalysisMemory: true }).for('agent');
      await agent.save({ runId: 'r', status, items: [user('hello')] });
      expect(model.requests).toEqual([]);
      expect((await agent.loadResumableRun('r'))?.status).toBe(status);
      expect((await agent.prepare()).messageHistory).toEqual([]);
    },
  );

  it('a paused run that completes is stored once, with its usage, and can no longer be resumed', async () => {
    const agent = openMemory(suite, { fullSessionMemory: true }).for('agent', { userId: 'alice', agentId: 'refunds' });
    await agent.save({
      runId: 'r',
      status: 'paused',
      items: [user('refund')],
      checkpoint: { at: 1 },
      usage: { tokens: 5 },
    });
    const paused = await agent.loadResumableRun('r');
    expect(paused).toMatchObject({
      seq: 1,
      version: putTimes(1),
      userId: 'alice',
      agentId: 'refunds',
      checkpoint: { at: 1 },
    });
    expect(await agent.getMessages()).toEqual([]);
    const done = {
      runId: 'r',
      status: 'completed',
      items: [user('refund'), assistant('done')],
      usage: { tokens: 9 },
    } as const;
    await agent.save(done);
    await agent.save(done);
    expect(await agent.getMessages()).toEqual([user('refund'), assistant('done')]);
    expect(await agent.loadResumableRun('r')).toBeUndefined();
    const run = await agent.loadRun('r');
    expect(run).toMatchObject({
      usage: { tokens: 9 },
      version: putTimes(2),
      seq: 1,
      userId: 'alice',
      agentId: 'refunds',
    });
    expect(run).not.toHaveProperty('checkpoint');
  });

  it('a completed run is final', async () => {
    const agent = openMemory(suite, { fullSessionMemory: true }).for('agent');
    await agent.save(turn('one', 'r'));
    await expect(agent.save(turn('two', 'r'))).rejects.toEqual(rejectsWith('CONFLICT'));
    await expect(agent.save({ runId: 'r', status: 'running', items: [] })).rejects.toEqual(rejectsWith('CONFLICT'));
    expect(await agent.getMessages()).toHaveLength(2);
  });

  it('if two processes resume the same run, the second save rejects with CONFLICT', async () => {
    const agent = openMemory(suite, { fullSessionMemory: true }).for('agent');
    await agent.save({ runId: 'r', status: 'paused', items: [] });
    const run = await agent.loadResumableRun('r');
    if (run === undefined) throw new Error('The run cannot be resumed.');
    const outcomes = await Promise.allSettled([1, 2].map(() => agent.save({ ...run, status: 'running' })));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(agent.save({ runId: 'new', version: 3, status: 'paused', items: [] })).rejects.toEqual(
      rejectsWith('CONFLICT'),
    );
    await expect(agent.save({ runId: 'r', version: 0, status: 'paused', items: [] })).rejects.toEqual(
      rejectsWith('CONFLICT'),
    );
  });

  it('a new run that 10 instances save at the same time is stored once', async () => {
    const place = suite.backend.makePlace();
    const saves = Array.from({ length: 10 }, () =>
      openMemory(suite, { fullSessionMemory: true }, place).for('agent', { sessionId: 's' }).save(turn('same', 'r')),
    );
    const results = await Promise.all(saves);
    expect(new Set(results.map(({ seq }) => seq)).size).toBe(1);
    expect(await openMemory(suite, {}, place).for('agent', { sessionId: 's' }).getMessages()).toHaveLength(2);
  });

  it('a run with the status running can be resumed once it is stale', async () => {
    const place = suite.backend.makePlace();
    const agent = (staleAfterMs?: number) =>
      openMemory(suite, { staleAfterMs }, place).for('agent', { sessionId: 's' });
    await agent().save({ runId: 'r', status: 'running', items: [user('step 1')] });
    await agent().save({ runId: 'r', status: 'running', items: [user('step 1'), call('c')] });
    expect(await agent().loadResumableRun('r')).toBeUndefined();
    expect(await agent(3_600_000).loadResumableRun('r')).toBeUndefined();
    expect((await agent(0).loadResumableRun('r'))?.items).toHaveLength(2);
    expect(await agent().loadRun('r')).toMatchObject({ status: 'running', version: putTimes(2) });
  });

  const clocked = suite.backend.hasClock ? it : it.skip;
  clocked('a run is stale by the clock of the store, however wrong that of the process is', async () => {
    const place = suite.backend.makePlace();
    const agent = (staleAfterMs: number) => openMemory(suite, { staleAfterMs }, place).for('agent', { sessionId: 's' });
    await agent(60_000).save({ runId: 'r', status: 'running', items: [] });
    const { now } = Date;
    const clock = vi.spyOn(Date, 'now');
    onTestFinished(() => clock.mockRestore());
    clock.mockImplementation(() => now() + 3_600_000);
    expect(await agent(60_000).loadResumableRun('r')).toBeUndefined();
    clock.mockImplementation(() => now() - 3_600_000);
    await expect.poll(() => agent(5).loadResumableRun('r')).toBeDefined();
  });

  it('the contents of a run are read back unchanged, even over 1 MiB', async () => {
    const agent = openMemory(suite, { fullSessionMemory: true }).for('agent');
    const checkpoint = {
      constructor: null,
      deep: [[{ a: 'é\u0000\ud83d\ude00\ud800' }]],
      none: [],
      long: 'ß🦩 '.repeat(180_000),
    };
    const run = {
      runId: 'r',
      status: 'paused',
      pauseReason: 'approval',
      items: [user('x')],
      checkpoint,
      output: { all: 1 },
    } as const;
    await agent.save({ ...run, parentRunId: 'parent', error: 'none' });
    const stored = await agent.loadResumableRun('r');
    expect(stored?.checkpoint).toEqual(checkpoint);
    expect(stored).toMatchObject({ pauseReason: 'approval', output: { all: 1 }, parentRunId: 'parent', error: 'none' });
    await agent.save({ ...run, checkpoint: { short: true } });
    expect((await agent.loadRun('r'))?.checkpoint).toEqual({ short: true });
    await agent.save({ ...run, checkpoint: { long: ' '.repeat(1_100_000) }, status: 'error' });
    expect((await agent.loadRun('r'))?.checkpoint).toEqual({ long: ' '.repeat(1_100_000) });
    expect(await agent.deleteSession()).toBe(true);
    expect(await agent.loadRun('r')).toBeUndefined();
  });

  it('a run of one session cannot be saved in another', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    await memory.for('agent', { sessionId: 'a' }).save({ runId: 'r', status: 'paused', items: [] });
    const other = memory.for('agent', { sessionId: 'b' });
    await expect(other.save(turn('x', 'r'))).rejects.toEqual(rejectsWith('CONFLICT'));
    expect((await other.loadRun('r'))?.status).toBe('paused');
  });

  it('a turn with tools is loaded exactly as user message, call, result and answer', async () => {
    const items = [user('Where?'), call('c'), result('c'), assistant('Here.')];
    const place = suite.backend.makePlace();
    const agent = (feedToolCallResults: boolean) =>
      openMemory(suite, { fullSessionMemory: true, load: { toolCalls: feedToolCallResults } }, place).for('agent', {
        sessionId: 's',
      });
    await agent(true).save({ status: 'completed', items });
    expect((await agent(true).prepare()).messageHistory).toEqual(items);
    expect((await agent(false).prepare()).messageHistory).toEqual([items[0], items[3]]);
    expect(await agent(false).getMessages()).toEqual(items);
  });
}
