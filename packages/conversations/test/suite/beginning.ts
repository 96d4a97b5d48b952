import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { putTimes } from '@keepsake/testing/put-times';
import { expect, it, vi } from 'vitest';
import { asSession, ConversationMemory } from '../../src/index.ts';
import { assistant, turn, user } from '../support/items.ts';
import { joining } from '../support/joining-summariser.ts';
import { newTraffic, watchedStore } from '../support/watched-store.ts';
import { inProcesses, openMemory, type Suite } from './suite.ts';

export function beginningCases(suite: Suite): void {
  it('a run that begins is saved as running, and its end as the next version', async () => {
    const agent = openMemory(suite, { fullSessionMemory: true }).for('agent');
    const open = await agent.begin({ items: [user('one')] });
    expect(await agent.loadRun(open.runId)).toMatchObject({
      status: 'running',
      items: [user('one')],
      version: putTimes(1),
    });
    await open.save({ status: 'running', items: [user('one'), assistant('so far')] });
    const ended = await open.save({ status: 'completed', items: [user('one'), assistant('done')] });
    expect(ended).toMatchObject({ runId: open.runId, seq: 1, version: putTimes(3) });
    expect(await agent.getMessages()).toEqual([user('one'), assistant('done')]);
  });

  it('saves of an open run take effect in the order of their calls', async () => {
    const agent = openMemory(suite, { fullSessionMemory: true }).for('agent');
    const open = await agent.begin({ items: [user('0')] });
    const saves = ['1', '2', '3'].map((text) => open.save({ status: 'running', items: [user(text)] }));
    await Promise.all([...saves, open.save({ status: 'completed', items: [user('4')] })]);
    expect(await agent.getMessages()).toEqual([user('4')]);
  });

  it('an open run sends heartbeats until it ends', async () => {
    const traffic = newTraffic();
    const store = watchedStore(suite.backend.makePlace().open(), traffic);
    const agent = new ConversationMemory({ store, staleAfterMs: 4_000 }).for('agent');
    // The first use creates the place.
    expect(await agent.getSession()).toBeUndefined();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const open = await agent.begin({ items: [user('one')] });
      for (let beat = 0; beat < 2; beat++) {
        const before = traffic.writes;
        vi.advanceTimersByTime(1_000);
        await expect.poll(() => traffic.writes).toBe(before + 1);
      }
      // The checkpoint follows the heartbeats.
      await open.save({ status: 'running', items: [user('two')] });
      expect(vi.getTimerCount()).toBe(1);
      open.abandon();
      expect(vi.getTimerCount()).toBe(0);
      expect((await agent.loadRun(open.runId))?.items).toEqual([user('two')]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('of two who take over a run, one gets it, and the first owner is told', async () => {
    const place = suite.backend.makePlace();
    const [here, there] = [0, 1].map(() => openMemory(suite, { staleAfterMs: 200 }, place).for('agent', ID));
    if (here === undefined || there === undefined) throw new Error('unreachable');
    await here.save({ runId: 'r', status: 'paused', items: [user('one')], checkpoint: { step: 1 } });
    const [run, same] = [await here.loadResumableRun('r'), await there.loadResumableRun('r')];
    if (run === undefined || same === undefined) throw new Error('The run must be resumable.');
    const open = await here.begin(run);
    await expect(there.begin(same)).rejects.toMatchObject({ code: 'CONFLICT' });
    // Crashed, as far as the other can see.
    await there.save({ runId: 'r', status: 'running', items: [user('taken')] });
    await expect.poll(() => open.taken.aborted).toBe(true);
    await expect(open.save({ status: 'completed', items: [user('late')] })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await there.loadRun('r')).toMatchObject({ status: 'running', items: [user('taken')] });
  });

  it('closing finishes the runs that are open, and no other run can begin', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    const [alice, bob] = ['alice', 'bob'].map((userId) => memory.for('agent', { sessionId: userId, userId }));
    if (alice === undefined || bob === undefined) throw new Error('unreachable');
    const open = await alice.begin(
      { items: [user('one')] },
      { onClose: () => open.save({ status: 'completed', items: [user('kept')] }) },
    );
    const left = await bob.begin({ runId: 'left', items: [user('two')] });
    await memory.close();
    expect(await alice.getMessages()).toEqual([user('kept')]);
    expect(await bob.loadRun(left.runId)).toMatchObject({ status: 'running' });
    await expect(bob.begin({ items: [] })).rejects.toMatchObject({ code: 'CLOSED' });
    await memory.close();
  });

  const shared = suite.backend.shared ? it : it.skip;
  shared(
    'a run whose process is killed is listed, and can be taken over once it is stale',
    inProcesses(suite),
    async () => {
      const place = suite.backend.makePlace();
      const memory = (staleAfterMs?: number) =>
        openMemory(suite, { fullSessionMemory: true, staleAfterMs, userId: 'alice' }, place);
      const agent = (staleAfterMs?: number) => memory(staleAfterMs).for('agent', { sessionId: 'killed' });
      expect(await agent().getSession()).toBeUndefined();
      const program = join(import.meta.dirname, '../programs/begin-and-die.ts');
      const environment = { NODE_NO_WARNINGS: '1' };
      const { signal } = await runProgram(program, ['r', ...(place.address ?? [])], { environment });
      expect(signal).toBe('SIGKILL');
      expect((await memory().listRuns({ status: 'running' })).items).toMatchObject([
        { runId: 'r', key: { kind: 'agent', sessionId: 'killed' }, status: 'running', userId: 'alice' },
      ]);
      expect(await agent().loadResumableRun('r')).toBeUndefined();
      const run = await agent(0).loadResumableRun('r');
      if (run === undefined) throw new Error('The run must be resumable.');
      expect(run.items).toEqual([user('r'), assistant('so far')]);
      await (await agent().begin(run)).save({ status: 'completed', items: [...run.items, assistant('done')] });
      expect(await agent().getMessages()).toHaveLength(3);
    },
  );

  it('a run that replaces others removes them when it completes, and not before', async () => {
    const { summariser } = joining();
    const options = { fullSessionMemory: true, summaryMemory: { summariser } };
    const agent = openMemory(suite, options).for('agent');
    for (const text of ['one', 'two', 'three']) await agent.save({ status: 'completed', items: [user(text)] });
    const two = await agent.findRun(({ content }) => content === 'two');
    expect(two).toMatchObject({ seq: 2 });
    const { messageHistory } = await agent.prepare({ before: 2 });
    expect(messageHistory).toEqual([user('one')]);
    const open = await agent.begin({ items: [user('2')], replaces: 2 });
    expect(await agent.getMessages()).toEqual([user('one'), user('two'), user('three')]);
    await open.save({ status: 'completed', items: [user('2'), assistant('II')] });
    expect(await agent.getMessages()).toEqual([user('one'), user('2'), assistant('II')]);
    await agent.catchUp();
    expect((await agent.getSession())?.summary?.text).not.toMatch(/two|three/);
    expect(await agent.loadRun(two?.runId ?? '')).toBeUndefined();
    await agent.save(turn('four'));
    expect(await asSession(agent).getItems()).toEqual([user('one'), user('2'), assistant('II'), ...turn('four').items]);
    expect(await agent.findRun(({ content }) => content === 'three')).toBeUndefined();
  });

  it('a run replaces only in its own session', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    const [one, two] = ['one', 'two'].map((sessionId) => memory.for('agent', { sessionId }));
    for (const each of [one, two]) await each?.save(turn('kept'));
    await one?.save({ ...turn('again'), replaces: 1 });
    expect(await one?.getMessages()).toEqual(turn('again').items);
    expect(await two?.getMessages()).toEqual(turn('kept').items);
  });

  it('messages of user interfaces are summarised, and prepared without tools', async () => {
    const { summariser } = joining();
    const options = { fullSessionMemory: true, summaryMemory: { summariser } };
    const agent = openMemory(suite, options).for('agent');
    const text = (said: string) => ({ type: 'text', text: said });
    const look = { type: 'tool-look_up', toolCallId: 'c', state: 'output-available', input: {}, output: 'secret' };
    const asked = { id: 'm1', role: 'user', parts: [text('Where?')] };
    const parts = [
      { type: 'step-start' },
      { type: 'reasoning', text: 'hm' },
      look,
      { type: 'step-start' },
      text('Here.'),
    ];
    await agent.save({ status: 'completed', items: [asked, { id: 'm2', role: 'assistant', parts }] });
    expect((await agent.getSession())?.summary?.text).toMatch(/^Where\?\s+Here\.$/);
    expect((await agent.prepare()).messageHistory).toEqual([
      asked,
      { id: 'm2', role: 'assistant', parts: [{ type: 'step-start' }, { type: 'step-start' }, text('Here.')] },
    ]);
    expect(await agent.getMessages()).toEqual([asked, { id: 'm2', role: 'assistant', parts }]);
  });
}

const ID = { sessionId: 'shared', userId: 'alice' };
