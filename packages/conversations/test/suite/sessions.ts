import type { JsonObject } from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { expect, it } from 'vitest';
import { asSession, type ConversationMemory, type ConversationSession } from '../../src/index.ts';
import { assistant, turn, user } from '../support/items.ts';
import { ScriptedModel } from '../support/scripted-model.ts';
import { openMemory, type Suite } from './suite.ts';

async function allSessions(
  memory: ConversationMemory,
  options: Parameters<ConversationMemory['listSessions']>[0],
  limit = 3,
) {
  const found: ConversationSession[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.listSessions({ ...options, limit, ...(cursor === undefined ? {} : { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found.map(({ key }) => `${key.kind} ${key.sessionId}`);
}

export function sessionCases(suite: Suite): void {
  it('no id of a tenant, user or session is taken for the mark of private memory', async () => {
    const place = suite.backend.makePlace();
    for (const id of ['u', 's', 'o', '%u', 'keepsake-outbox', 'alice']) {
      const memory = openMemory(suite, { fullSessionMemory: true, tenant: id, sessionId: id, userId: id }, place);
      await memory.for('agent').save({ status: 'completed', items: [user(`of ${id}`)] });
    }
    const found = (await place.open().namespaces({ limit: 1_000 })).items.flatMap(({ namespace }) => namespace);
    expect(found).toContain('%u');
    expect(found).toContain('%%u');
    for (const mark of ['u', 's', 'o', 'keepsake-outbox']) expect(found).not.toContain(mark);
    for (const id of ['u', '%u', 'alice']) {
      const items = await openMemory(suite, { fullSessionMemory: true, tenant: id, sessionId: id, userId: id }, place)
        .for('agent')
        .getMessages();
      expect(JSON.stringify(items)).toContain(`of ${id}"`);
    }
  });

  it('users with sessions are listed in pages, and only those of the tenant', async () => {
    const place = suite.backend.makePlace();
    const memory = openMemory(suite, { fullSessionMemory: true }, place);
    const other = openMemory(suite, { fullSessionMemory: true, tenant: 'acme' }, place);
    for (const userId of ['bob', 'u', 'a*', '%u', 'alice']) {
      await memory.for('agent', { userId, sessionId: `of ${userId}` }).save(turn('1'));
    }
    await memory.for('team', { userId: 'alice', sessionId: 'second' }).save(turn('2'));
    await other.for('agent', { userId: 'mallory', sessionId: 'elsewhere' }).save(turn('3'));
    const first = await memory.listUsers({ limit: 2 });
    expect(first.items).toHaveLength(2);
    const rest = await memory.listUsers({ cursor: first.cursor });
    const found = [...first.items, ...rest.items];
    expect(found.toSorted((one, two) => (one.userId < two.userId ? -1 : 1))).toEqual([
      { userId: '%u', sessions: 1 },
      { userId: 'a*', sessions: 1 },
      { userId: 'alice', sessions: 2 },
      { userId: 'bob', sessions: 1 },
      { userId: 'u', sessions: 1 },
    ]);
    expect((await other.listUsers()).items).toEqual([{ userId: 'mallory', sessions: 1 }]);
  });

  it('sessions are listed by user and kind in pages, newest first', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    const made: { kind: 'agent' | 'team'; sessionId: string; userId: string }[] = [];
    for (let n = 0; n < 10; n++) {
      const one = {
        kind: n % 3 === 0 ? 'team' : 'agent',
        sessionId: `a*:${n}`,
        userId: n % 2 === 0 ? 'alice' : 'a*',
      } as const;
      made.push(one);
      const { kind, ...who } = one;
      await memory.for(kind, who).save(turn(`${n}`));
    }
    const first = made[0];
    if (first) await memory.for(first.kind, { sessionId: first.sessionId, userId: first.userId }).save(turn('again'));
    const named = (some: typeof made) => some.toReversed().map(({ kind, sessionId }) => `${kind} ${sessionId}`);
    expect(await allSessions(memory, { allUsers: true })).toEqual(named(made));
    expect(await allSessions(memory, { allUsers: true, kind: 'team' })).toEqual(
      named(made.filter(({ kind }) => kind === 'team')),
    );
    expect(await allSessions(memory, { userId: 'alice' })).toEqual(
      named(made.filter(({ userId }) => userId === 'alice')),
    );
    expect(await allSessions(memory, { userId: 'a*', kind: 'agent' })).toEqual(
      named(made.filter(({ userId, kind }) => userId === 'a*' && kind === 'agent')),
    );
    expect(await allSessions(memory, { userId: 'a' })).toEqual([]);
    expect((await memory.for('team', { userId: 'alice' }).listSessions()).items).toHaveLength(5);
    expect(await memory.listSessions()).toEqual({ items: [] });
  });

  it('a session of one user is refused to another without leaking anything', async () => {
    const place = suite.backend.makePlace();
    const memory = openMemory(suite, { fullSessionMemory: true }, place);
    const alice = memory.for('agent', { sessionId: 's', userId: 'alice' });
    await alice.save({ runId: 'r', status: 'paused', items: [user('SECRET')] });
    await alice.setMetadata({ topic: 'SECRET' });
    const keepsNothing = openMemory(suite, {}, place);
    for (const userId of ['bob', undefined]) {
      const other = memory.for('agent', { sessionId: 's', userId });
      const calls: (() => Promise<unknown>)[] = [
        () => other.prepare(),
        () => other.save(turn('x')),
        () => other.save({ runId: 'r', status: 'completed', items: [] }),
        () => keepsNothing.for('agent', { sessionId: 's', userId }).save(turn('x')),
        () => other.begin({ items: [] }),
        () => other.catchUp(),
        () => other.getSession(),
        () => other.getMessages(),
        () => other.setMetadata({}),
        () => other.getMetadata(),
        () => other.findSession('s'),
        () => other.deleteSession(),
        () => other.loadRun('r'),
        () => other.loadResumableRun('r'),
        () => other.listRuns(),
        () => other.findRun(() => true),
        () => other.heartbeat({ runId: 'r' }),
        () => asSession(other).getItems(),
        () => asSession(other).getContext(),
        () => asSession(other).popItem(),
        () => asSession(other).clearSession(),
        () => asSession(other).addItems([user('x')]),
      ];
      for (const call of calls) {
        const error: unknown = await call().then(
          (value) => expect.unreachable(JSON.stringify(value)),
          (reason: unknown) => reason,
        );
        expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
        expect(String(error)).not.toMatch(/SECRET|alice/);
      }
      expect((await other.listSessions()).items).toEqual([]);
      const elsewhere = memory.for('agent', { sessionId: 'other', userId: 'bob' });
      await expect(elsewhere.loadRun('r')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    expect((await alice.loadResumableRun('r'))?.items).toEqual([user('SECRET')]);
    expect(await alice.getMetadata()).toEqual({ topic: 'SECRET' });
    expect((await memory.for('agent', { sessionId: 's', allUsers: true }).getSession())?.userId).toBe('alice');
  });

  it('a session without a user becomes that of the first user who saves in it', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    await memory.for('agent', { sessionId: 's' }).save(turn('one'));
    expect((await memory.for('agent', { sessionId: 's' }).listSessions()).items).toHaveLength(1);
    const alice = memory.for('agent', { sessionId: 's', userId: 'alice' });
    expect(await alice.getMessages()).toHaveLength(2);
    await alice.save(turn('two'));
    expect((await alice.listSessions()).items).toMatchObject([{ userId: 'alice' }]);
    await expect(memory.for('agent', { sessionId: 's' }).getMessages()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('metadata can be set before the first run and is merged by field', async () => {
    const agent = openMemory(suite).for('agent', { agentId: 'guide' });
    expect(await agent.getMetadata()).toBeUndefined();
    await agent.setMetadata({ topic: 'travel', kept: 1 });
    await agent.setMetadata({ topic: { is: 'food' } });
    expect(await agent.getMetadata()).toEqual({ topic: { is: 'food' }, kept: 1 });
    expect(await agent.getSession()).toMatchObject({ agentId: 'guide', version: putTimes(2), metadata: { kept: 1 } });
    expect(await agent.getMessages()).toEqual([]);
  });

  it('deleteSession removes a session with its runs, and returns false if there is none', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    const [one, other] = ['one', 'other'].map((sessionId) => memory.for('agent', { sessionId, userId: 'alice' }));
    await one?.save(turn('a', 'run of one'));
    await one?.save({ runId: 'paused', status: 'paused', items: [] });
    await other?.save(turn('b', 'run of other'));
    expect(await other?.deleteSession('one')).toBe(true);
    expect(await one?.deleteSession()).toBe(false);
    expect(await one?.getSession()).toBeUndefined();
    for (const runId of ['run of one', 'paused']) expect(await other?.loadRun(runId)).toBeUndefined();
    expect((await memory.listSessions({ userId: 'alice' })).items).toMatchObject([{ key: { sessionId: 'other' } }]);
    await one?.save(turn('again', 'run of one'));
    expect(await one?.getMessages()).toEqual(turn('again').items);
    expect(await other?.getMessages()).toHaveLength(2);
  });

  it('a run that is paused while the history is cleared is in the history once it completes', async () => {
    const agent = openMemory(suite, { fullSessionMemory: true }).for('agent');
    const session = asSession(agent);
    for (const runId of ['first', 'second', 'third']) await agent.save({ runId, status: 'paused', items: [] });
    await agent.save(turn('before'));
    await agent.save({ runId: 'last', status: 'paused', items: [] });
    await session.clearSession();
    await agent.save(turn('after'));
    for (const runId of ['second', 'last', 'first']) await agent.save(turn(runId, runId));
    const said = (items: readonly JsonObject[]) =>
      items.filter(({ role }) => role === 'user').map((item) => item.content);
    expect(said(await session.getItems())).toEqual(['first', 'second', 'last', 'after']);
    expect(said(await session.getItems(6))).toEqual(['second', 'last', 'after']);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    await agent.save(turn('third', 'third'));
    expect(said(await session.getItems())).toEqual(['third']);
    expect((await session.popItem())?.role).toBe('assistant');
    expect(await session.getItems()).toEqual([user('third')]);
  });

  it('asSession returns a plain session with the history', async () => {
    const model = new ScriptedModel({ summary: 'A summary.' });
    const agent = openMemory(suite, { model, fullSessionMemory: true, summaryMemory: true }).for('agent');
    const session = asSession(agent);
    expect(await session.getSessionId()).toBe(agent.sessionId);
    expect(await session.popItem()).toBeUndefined();
    await session.clearSession();
    await session.addItems([]);
    expect(await agent.getSession()).toBeUndefined();
    await session.addItems([user('one'), assistant('1')]);
    await agent.save(turn('two'));
    await agent.save({ runId: 'paused', status: 'paused', items: [user('no')] });
    expect(await session.getItems(3)).toEqual([assistant('1'), ...turn('two').items]);
    expect(await session.getItems(0)).toEqual([]);
    const popped = await Promise.all([1, 2, 3].map(() => session.popItem()));
    expect(popped.map((item) => item?.content).toSorted()).toEqual(['1', 'You said: two', 'two']);
    expect(await session.getItems()).toEqual([user('one')]);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect((await agent.getSession())?.summary).toBeUndefined();
    expect((await agent.loadResumableRun('paused'))?.items).toEqual([user('no')]);
    await session.addItems([user('again')]);
    expect(await session.getItems()).toEqual([user('again')]);
    expect((await agent.getSession())?.summary?.text).toBe('A summary.');
    expect(model.requests.at(-1)?.prompt).not.toContain('two');
  });
}
