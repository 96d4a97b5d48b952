import { expect, it } from 'vitest';
import { assistant, turn, user } from '../support/items.ts';
import { openMemory, type Suite } from './suite.ts';

const KINDS = ['agent', 'team', 'workflow'] as const;

export function kindCases(suite: Suite): void {
  it('the same session id in three kinds identifies three histories', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    for (const kind of KINDS) await memory.for(kind, { sessionId: 'same' }).save(turn(kind, 'same run'));
    for (const kind of KINDS) {
      const handle = memory.for(kind, { sessionId: 'same' });
      expect(await handle.getMessages()).toEqual([user(kind), assistant(`You said: ${kind}`)]);
      expect((await handle.loadRun('same run'))?.items[0]).toEqual(user(kind));
    }
    expect(await memory.for('team', { sessionId: 'same' }).deleteSession()).toBe(true);
    expect(await memory.for('agent', { sessionId: 'same' }).getMessages()).toHaveLength(2);
    expect(await memory.for('team', { sessionId: 'same' }).getMessages()).toEqual([]);
  });

  it('20 concurrent saves across kinds store 20 runs with distinct sequence numbers', async () => {
    const memory = openMemory(suite, { fullSessionMemory: true });
    const saved = await Promise.all(
      Array.from({ length: 20 }, (_, n) => memory.for(KINDS[n % 3] ?? 'agent').save(turn(`turn ${n}`))),
    );
    expect(saved.every(({ stored, errors }) => stored && errors.length === 0)).toBe(true);
    let count = 0;
    for (const kind of KINDS) {
      const seqs = saved.filter((_, n) => KINDS[n % 3] === kind).map(({ seq }) => seq);
      expect(seqs.toSorted((a, b) => Number(a) - Number(b))).toEqual(seqs.map((_, place) => place + 1));
      count += (await memory.for(kind).getMessages()).length / 2;
    }
    expect(count).toBe(20);
  });

  it('generated ids are unique, readable and stable', async () => {
    const [one, other] = [openMemory(suite), openMemory(suite)];
    expect(one.sessionId).not.toBe(other.sessionId);
    expect(one.userId).not.toBe(other.userId);
    expect(one.for('agent').sessionId).toBe(one.sessionId);
    expect(one.for('team').userId).toBe(one.userId);
    const { runId } = await one.for('agent').save({ status: 'paused', items: [] });
    expect((await one.for('agent').loadRun(runId))?.runId).toBe(runId);
  });

  it('tenants share nothing', async () => {
    const place = suite.backend.makePlace();
    const [acme, other, none] = [{ tenant: 'acme' }, { tenant: 'other' }, {}].map((tenant) =>
      openMemory(suite, { fullSessionMemory: true, userId: 'alice', sessionId: 's', ...tenant }, place),
    );
    await acme?.for('agent').save(turn('of acme', 'run'));
    for (const memory of [other, none]) {
      expect(await memory?.for('agent').getSession()).toBeUndefined();
      expect(await memory?.for('agent').loadRun('run')).toBeUndefined();
      expect((await memory?.listSessions({ allUsers: true }))?.items).toEqual([]);
    }
    expect((await acme?.for('agent').getSession())?.key).toEqual({ kind: 'agent', sessionId: 's', tenant: 'acme' });
  });
}
