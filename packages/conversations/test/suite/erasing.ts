import type { RecordStore } from '@keepsake/core';
import { step } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { ConversationMemory, type ConversationMemoryOptions } from '../../src/index.ts';
import type { Place } from '../backends/backend.ts';
import { heldStore } from '../support/held-store.ts';
import { turn, user } from '../support/items.ts';
import { newTraffic, watchedStore } from '../support/watched-store.ts';
import { openMemory, type Suite } from './suite.ts';

const options = {
  fullSessionMemory: true,
  summaryMemory: { summariser: { summarise: async ({ said }) => `They spoke of ${said[0]?.text}.` } },
  userAnalysisMemory: { profiler: { analyse: async ({ said }) => ({ name: said[0]?.text ?? '' }) } },
} satisfies Partial<ConversationMemoryOptions>;

/** Three sessions of alice with five runs and a profile, and one session each of similar users and of no user. */
async function fill(memory: ConversationMemory): Promise<void> {
  const alice = memory.for('agent', { sessionId: 's1', userId: 'alice' });
  await alice.save(turn('PRIVATE one'));
  await alice.save(turn('PRIVATE two'));
  await alice.save({ runId: 'paused', status: 'paused', items: [user('PRIVATE '.repeat(100_000))] });
  await memory.for('team', { sessionId: 's1', userId: 'alice' }).save(turn('PRIVATE three'));
  await memory.for('workflow', { sessionId: 's2' }).save(turn('PRIVATE four'));
  await memory.for('workflow', { sessionId: 's2', userId: 'alice' }).setMetadata({ topic: 'PRIVATE' });
  for (const userId of ['alice2', 'ali', 'a*', undefined]) {
    await memory.for('agent', { sessionId: `of ${userId}`, userId }).save(turn('of others'));
  }
}

/** All contents of a store, as text. */
async function textOf(store: RecordStore): Promise<string> {
  const texts: string[] = [];
  const { items } = await store.namespaces({ limit: 1_000, empty: true });
  for (const { namespace, recordCount } of items) {
    texts.push(JSON.stringify({ namespace, isEmpty: recordCount === 0 }));
    const place = store.within(namespace.slice(store.namespace.length));
    for (const record of (await place.list({ limit: 1_000 })).items) texts.push(JSON.stringify(record));
  }
  return texts.join('\n');
}

async function exported(memory: ConversationMemory, userId: string): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  for await (const line of memory.exportUser(userId)) {
    expect(line.endsWith('\n')).toBe(true);
    lines.push(JSON.parse(line));
  }
  return lines;
}

export function erasingCases(suite: Suite): void {
  const open = (place: Place) => openMemory(suite, options, place);

  it('eraseUser removes all sessions, runs and summaries and the profile, and nothing of other users', async () => {
    const place = suite.backend.makePlace();
    const memory = open(place);
    await fill(memory);
    const others = async () => Promise.all(['alice2', 'ali', 'a*'].map((userId) => exported(memory, userId)));
    const before = await others();
    const counts = { userId: 'alice', sessions: 3, runs: 5, profiles: 1 };
    expect(await memory.eraseUser('alice', { dryRun: true })).toMatchObject({
      ...counts,
      dryRun: true,
      compacted: false,
    });
    expect(await memory.eraseUser('alice')).toMatchObject({ ...counts, dryRun: false, compacted: true });
    const left = await textOf(place.open());
    expect(left).not.toContain('"alice"');
    expect(left).not.toContain('PRIVATE');
    expect(left).toContain('of others');
    const unstamped = (lines: Record<string, unknown>[][]) => lines.map(([, ...rest]) => rest);
    expect(unstamped(await others())).toEqual(unstamped(before));
    expect(await memory.eraseUser('alice')).toMatchObject({ sessions: 0, runs: 0, profiles: 0 });
    expect((await memory.listSessions({ userId: 'alice' })).items).toEqual([]);
    const again = memory.for('agent', { sessionId: 's1', userId: 'alice' });
    expect((await again.prepare()).systemPromptInjection).toBe('');
    expect(await again.getMessages()).toEqual([]);
  });

  it('eraseUser completes an earlier erasure that was interrupted anywhere', async () => {
    for (const [n, failingAt] of [1, 3, 6, 9, 12, 15].entries()) {
      if (n % step(2) !== 0) continue;
      const place = suite.backend.makePlace();
      await fill(open(place));
      const traffic = newTraffic();
      let left = failingAt;
      traffic.before = (method) => {
        if ((method === 'delete' || method === 'clear') && --left === 0) throw new Error('interrupted');
      };
      const failing = new ConversationMemory({ ...options, store: watchedStore(place.open(), traffic) });
      await expect(failing.eraseUser('alice')).rejects.toThrow('interrupted');
      await open(place).eraseUser('alice');
      expect(await textOf(place.open())).not.toContain('"alice"');
      expect(await exported(open(place), 'alice')).toHaveLength(1);
    }
  });

  it('eraseUser removes runs that are saved meanwhile', async () => {
    const place = suite.backend.makePlace();
    const memory = open(place);
    await memory.for('agent', { sessionId: 's', userId: 'alice' }).save(turn('PRIVATE'));
    const held = heldStore(place.open(), 'delete', 'sessions');
    const erasing = new ConversationMemory({ ...options, store: held.store }).eraseUser('alice');
    await held.reached;
    await memory.for('agent', { sessionId: 's', userId: 'alice' }).save(turn('PRIVATE too', 'r'));
    await memory.for('agent', { sessionId: 'new', userId: 'alice' }).save(turn('PRIVATE as well'));
    held.release();
    expect(await erasing).toMatchObject({ sessions: 2, runs: 3 });
    expect(await memory.for('agent', { allUsers: true }).loadRun('r')).toBeUndefined();
    expect(await exported(memory, 'alice')).toHaveLength(1);
  });

  it('eraseUser leaves a session that was deleted and is of another user meanwhile', async () => {
    const place = suite.backend.makePlace();
    const memory = open(place);
    await memory.for('agent', { sessionId: 's', userId: 'alice' }).save(turn('PRIVATE'));
    const held = heldStore(place.open(), 'delete', 'sessions');
    const erasing = new ConversationMemory({ ...options, store: held.store }).eraseUser('alice');
    await held.reached;
    await memory.for('agent', { sessionId: 's', allUsers: true }).deleteSession();
    const bob = memory.for('agent', { sessionId: 's', userId: 'bob' });
    for (const text of ['one', 'two']) await bob.save(turn(text));
    held.release();
    await erasing;
    expect(await bob.getMessages()).toHaveLength(4);
  });

  it('eraseUser fails with CONFLICT if another process keeps saving runs', async () => {
    const place = suite.backend.makePlace();
    const memory = open(place);
    const alice = memory.for('agent', { sessionId: 's', userId: 'alice' });
    await alice.save(turn('one'));
    const store = place.open();
    // Adds a session each time the session list of the user has been cleared.
    const busy = (inner: RecordStore): RecordStore =>
      new Proxy(inner, {
        get(target, name) {
          if (name === 'within') return (segments: string[]) => busy(target.within(segments));
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return async (...given: unknown[]) => {
            const result: unknown = await value.apply(target, given);
            if (name === 'clear' && target.namespace.includes('users')) await alice.save(turn('more'));
            return result;
          };
        },
      });
    const erasing = new ConversationMemory({ ...options, store: busy(store) });
    await expect(erasing.eraseUser('alice')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await memory.listSessions({ userId: 'alice' })).items).toHaveLength(1);
  });

  it('exportUser returns the profile, conversations and runs', async () => {
    const memory = openMemory(suite, options);
    await fill(memory);
    const [head, ...lines] = await exported(memory, 'alice');
    expect(head).toMatchObject({ keepsake: 'conversations-export', version: 1, userId: 'alice' });
    expect(lines.map(({ kind }) => kind).join(' ')).toBe(
      'profile conversation run run run conversation run conversation run',
    );
    expect(lines[0]).toMatchObject({
      profile: { userId: 'alice', data: { name: expect.stringContaining('PRIVATE') } },
    });
    expect(lines[1]).toMatchObject({ conversation: { key: { kind: 'agent', sessionId: 's1' }, userId: 'alice' } });
    expect(lines[2]).toMatchObject({
      sessionId: 's1',
      run: { seq: 1, status: 'completed', items: turn('PRIVATE one').items },
    });
    expect(lines[4]).toMatchObject({ run: { runId: 'paused', status: 'paused' } });
    expect(await exported(memory, 'nobody')).toHaveLength(1);
  });

  it('eraseUser does not affect a user with the same id in another tenant', async () => {
    const place = suite.backend.makePlace();
    const of = (tenant: string | undefined) => openMemory(suite, { ...options, tenant }, place);
    for (const tenant of [undefined, 'a', 'b']) await of(tenant).for('agent', { userId: 'alice' }).save(turn('one'));
    expect(await of('a').eraseUser('alice')).toMatchObject({ sessions: 1 });
    expect((await of('b').listSessions({ userId: 'alice' })).items).toHaveLength(1);
    expect((await of(undefined).listSessions({ userId: 'alice' })).items).toHaveLength(1);
  });

  it('eraseUser and exportUser refuse missing and invalid users', async () => {
    const memory = openMemory(suite, options);
    const bad = { code: 'INVALID_ARGUMENT' };
    for (const userId of ['', null, undefined, 'x'.repeat(257)] as string[]) {
      await expect(memory.eraseUser(userId)).rejects.toMatchObject(bad);
      expect(() => memory.exportUser(userId)).toThrow(expect.objectContaining(bad));
    }
    await expect(memory.eraseUser('alice', { dryRun: 'no' as never })).rejects.toMatchObject(bad);
    await expect(memory.eraseUser('alice', { compact: 'no' as never })).rejects.toMatchObject(bad);
  });
}
