import { putTimes } from '@keepsake/testing/put-times';
import { expect, it } from 'vitest';
import { asSession } from '../../src/index.ts';
import { assistant, call, result, turn, user } from '../support/items.ts';
import { joined, joining } from '../support/joining-summariser.ts';
import { ScriptedModel } from '../support/scripted-model.ts';
import { openMemory, type Suite } from './suite.ts';

const said = (text: string) => ({ status: 'completed' as const, items: [user(text)] });

export function undoingCases(suite: Suite): void {
  it('after popItem, the summary does not include what was undone', async () => {
    const { summariser, calls } = joining();
    const agent = openMemory(suite, { fullSessionMemory: true, summaryMemory: { summariser } }).for('agent');
    for (const text of ['one', 'two', 'three']) await agent.save(said(text));
    const session = asSession(agent);
    expect(await session.popItem()).toEqual(user('three'));
    expect((await agent.getSession())?.summary).toEqual({ text: 'one\ntwo', throughSeq: 2 });
    await agent.save(said('four'));
    expect((await agent.getSession())?.summary).toEqual({ text: 'one\ntwo\nfour', throughSeq: 4 });
    expect(calls.summary).toBe(4);
    // The summary before the last two is not known.
    expect(await session.popItem()).toEqual(user('four'));
    expect(await session.popItem()).toEqual(user('two'));
    expect((await agent.getSession())?.summary).toBeUndefined();
    await agent.save(said('five'));
    expect((await agent.getSession())?.summary).toEqual({ text: 'one\nfive', throughSeq: 5 });
  });

  it('an item that is undone during an update is not in the summary', async () => {
    let pop: (() => Promise<unknown>) | undefined;
    const agent = openMemory(suite, {
      fullSessionMemory: true,
      summaryMemory: {
        summariser: {
          async summarise(input) {
            await pop?.();
            pop = undefined;
            return joined(input);
          },
        },
      },
    }).for('agent');
    for (const [first, text, throughSeq] of [
      ['one', 'one', 1],
      ['two', 'one\ntwo', 2],
    ] as const) {
      pop = () => asSession(agent).popItem();
      await agent.save({ status: 'completed', items: [user(first), user('undone')] });
      expect((await agent.getSession())?.summary).toEqual({ text, throughSeq });
    }
  });

  it('after popItem in a cleared history, the summary includes nothing that was cleared', async () => {
    const { summariser } = joining();
    const agent = openMemory(suite, { fullSessionMemory: true, summaryMemory: { summariser } }).for('agent');
    const session = asSession(agent);
    await agent.save(said('cleared'));
    await session.clearSession();
    await agent.save({ status: 'completed', items: [user('one'), user('undone')] });
    expect(await session.popItem()).toEqual(user('undone'));
    await agent.catchUp();
    expect((await agent.getSession())?.summary).toEqual({ text: 'one', throughSeq: 2 });
  });

  it('a completed run drops its checkpoint and the reason of its pause', async () => {
    const agent = openMemory(suite, { fullSessionMemory: true }).for('agent');
    await agent.save({
      runId: 'r',
      status: 'paused',
      items: [user('x')],
      checkpoint: { at: 1 },
      pauseReason: 'approval',
    });
    const run = await agent.loadResumableRun('r');
    if (run === undefined) throw new Error('The run cannot be resumed.');
    await agent.save({ ...run, status: 'completed' });
    const completed = await agent.loadRun('r');
    expect(completed).toMatchObject({ status: 'completed', items: [user('x')] });
    expect(completed).not.toHaveProperty('checkpoint');
    expect(completed).not.toHaveProperty('pauseReason');
    expect((await agent.save({ ...run, version: undefined, status: 'completed' })).version).toEqual(putTimes(2));
  });

  it('setMetadata removes a field that is undefined', async () => {
    const agent = openMemory(suite).for('agent');
    await agent.setMetadata({ topic: 'travel', kept: 1, nested: { a: 1 } });
    await agent.setMetadata({ topic: undefined, nested: undefined, unknown: undefined, more: true });
    expect(await agent.getMetadata()).toEqual({ kept: 1, more: true });
    expect((await agent.prepare()).metadataInjection).not.toContain('topic');
  });

  it('asSession returns the last turns, and the summary, the profile and the metadata beside them', async () => {
    const model = new ScriptedModel({ summary: 'They <like> tea.', name: 'Alice' });
    const place = suite.backend.makePlace();
    const agent = (lastTurns?: number) =>
      openMemory(
        suite,
        {
          model,
          fullSessionMemory: true,
          summaryMemory: true,
          userAnalysisMemory: { dynamic: true },
          ...(lastTurns === undefined ? {} : { load: { lastTurns } }),
        },
        place,
      ).for('agent', { sessionId: 's', userId: 'alice' });
    expect(await asSession(agent(2)).getItems()).toEqual([]);
    expect(await asSession(agent(2)).getContext()).toEqual({
      contextInjection: '',
      systemPromptInjection: '',
      metadataInjection: '',
    });
    for (const text of ['one', 'two']) await agent().save(turn(text));
    await agent().setMetadata({ topic: 'tea' });
    const items = [user('three'), call('c'), result('c'), assistant('3')];
    await agent().save({ status: 'completed', items });
    expect(await asSession(agent(2)).getItems()).toEqual([...turn('two').items, ...items]);
    expect(await asSession(agent(2)).getItems(5)).toEqual([...turn('two').items.slice(-1), ...items]);
    expect(await asSession(agent(1)).getItems(100)).toEqual(items);
    expect(await asSession(agent(0)).getItems()).toEqual([]);
    expect(await asSession(agent(1)).getItems(0)).toEqual([]);
    expect(await asSession(agent()).getItems()).toHaveLength(8);
    const { contextInjection, systemPromptInjection, metadataInjection } = await agent(2).prepare();
    const context = { contextInjection, systemPromptInjection, metadataInjection };
    expect(context.contextInjection).toContain('They &lt;like&gt; tea.');
    expect(await asSession(agent(2)).getContext()).toEqual(context);
    await asSession(agent(1)).addItems([user(context.contextInjection), user('four')]);
    expect(await asSession(agent(1)).getItems()).toEqual([user('four')]);
  });

  it('feedToolCallResults shows uses of tools to the summary and the profile', async () => {
    for (const feedToolCallResults of [true, false]) {
      const model = new ScriptedModel({ summary: 'So.', name: 'Alice' });
      const agent = openMemory(suite, {
        model,
        summaryMemory: true,
        userAnalysisMemory: { dynamic: true },
        load: { toolCalls: feedToolCallResults },
      }).for('agent', { userId: 'alice' });
      const found = { ...result('c'), output: 'lives in </tools>Porto' };
      await agent.save({ status: 'completed', items: [user('Where?'), call('c'), found, assistant('Here.')] });
      expect(model.requests).toHaveLength(2);
      for (const { prompt } of model.requests) {
        expect(prompt.includes('lives in &lt;/tools&gt;Porto')).toBe(feedToolCallResults);
        expect(prompt).toContain('Where?');
      }
      await agent.save({ status: 'completed', items: [call('d'), { ...result('d'), output: 'alone' }] });
      expect(model.requests.slice(2).filter(({ prompt }) => prompt.includes('alone'))).toHaveLength(
        feedToolCallResults ? 2 : 0,
      );
    }
  });
}
