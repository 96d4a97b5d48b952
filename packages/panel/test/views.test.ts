import { OpenedConfig } from '@keepsake/config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPanel } from '../src/index.ts';
import type {
  Answer,
  ConversationDetail,
  ConversationRow,
  DeletionPreview,
  DeletionProgress,
  ErasureReceipt,
  Health,
  Live,
  NamespaceLevel,
  PageOf,
  RecordDetail,
  RecordsPage,
  RunDetail,
  RunRow,
  SessionRow,
  SessionTimeline,
  Status,
  TextPiece,
  UserDetail,
  UserRow,
  UsersPage,
} from '../src/protocol.ts';
import { PATHS } from '../src/protocol.ts';
import { backends } from './support/backends.ts';
import { Client } from './support/client.ts';

describe.each(backends)('on $name', (backend) => {
  beforeAll(() => backend.start?.());
  afterAll(() => backend.stop?.());

  /** A panel with two users, an agent, a pool, a conversation with runs, and sessions. */
  async function open({ readOnly = false } = {}) {
    const place = backend.makePlace();
    const config = new OpenedConfig(
      {
        ...place,
        space: {
          agents: { guide: { sharedNamespaces: ['org:docs'] } },
          pools: { 'org:docs': { readers: ['*'], writers: ['*'] } },
        },
        conversations: { fullSessionMemory: true },
      },
      { path: 'the test' },
    );
    const client = new Client(createPanel(config, { readOnly, onError: (error) => console.error(error) }));
    return { config, client };
  }

  async function filled() {
    const opened = await open();
    const { config } = opened;
    const space = await config.space();
    for (const id of ['alice', 'a*']) {
      const scope = space.as({ principal: { id }, agent: 'guide' });
      await scope.memory.put({ id: 'seat', content: `${id} prefers aisle seats`, metadata: { topic: 'travel' } });
      await scope.memory.put({
        id: 'tea',
        content: `${id} drinks green tea`,
        metadata: { topic: 'food' },
        source: { speaker: 'user', kind: 'fact', conversation: `of ${id}` },
      });
      await scope.pool('org:docs').put({ id: `by ${id}`, content: `A document of ${id}` });
      await scope.session('s1').addItems([{ role: 'user', content: `hello from ${id}` }]);
      const conversations = await config.conversations();
      const handle = conversations.for('agent', { sessionId: `chat of ${id}`, userId: id });
      await handle.save({ status: 'completed', items: [{ role: 'user', content: `chat of ${id}` }] });
      await handle.save({ status: 'paused', items: [], pauseReason: 'approval', checkpoint: { step: 1 } });
    }
    return opened;
  }

  it('status tells what there is', async () => {
    const { client } = await open();
    const status = await client.get<Status>(PATHS.status);
    expect(status).toMatchObject({
      readOnly: false,
      csrfToken: expect.any(String),
      store: { name: 'memory', writable: true, capabilities: { enumerate: true, filter: true } },
      parts: { sessions: true, agents: ['guide'], workspace: false },
    });
    const { client: reader } = await open({ readOnly: true });
    const readOnly = await reader.get<Status>(PATHS.status);
    expect(readOnly).toMatchObject({ readOnly: true, store: { writable: false } });
    expect(readOnly.csrfToken).toBeUndefined();
  });

  it('namespaces are listed level by level, with counts and kinds', async () => {
    const { client } = await filled();
    const top = await client.get<NamespaceLevel>(PATHS.namespaces);
    expect(top.items.map(({ name }) => name)).toEqual(['agent', 'conversations', 'org']);
    expect(top.items[0]).toMatchObject({ recordCount: 0, below: 4, childCount: 1 });
    const users = await client.get<NamespaceLevel>(PATHS.namespaces, { parent: 'agent:guide:u', limit: 1 });
    expect(users).toMatchObject({
      parent: { below: 4, childCount: 2 },
      items: [{ name: 'agent:guide:u:a*', recordCount: 2, kind: 'private', principal: { id: 'a*', type: 'user' } }],
      cursor: expect.any(String),
    });
    const next = await client.get<NamespaceLevel>(PATHS.namespaces, { parent: 'agent:guide:u', cursor: users.cursor });
    expect(next.items).toMatchObject([{ label: 'alice' }]);
    const pools = await client.get<NamespaceLevel>(PATHS.namespaces, { parent: 'org' });
    expect(pools.items).toMatchObject([{ name: 'org:docs', kind: 'pool', recordCount: 2 }]);
    const empty = await client.get<NamespaceLevel>(PATHS.namespaces, { parent: 'nobody' });
    expect(empty).toMatchObject({ parent: { recordCount: 0, below: 0 }, items: [] });
  });

  it('records are listed in pages, searched and filtered, and never those of another namespace', async () => {
    const { client } = await filled();
    const namespace = 'agent:guide:u:alice';
    const first = await client.get<RecordsPage>(PATHS.records, { namespace, limit: 1 });
    expect(first.items).toMatchObject([{ id: 'tea', namespace, kind: 'fact', speaker: 'user', buried: false }]);
    const second = await client.get<RecordsPage>(PATHS.records, { namespace, limit: 1, cursor: first.cursor });
    expect(second.items).toMatchObject([{ id: 'seat' }]);
    const contents = async (query: Parameters<Client['get']>[1]) => {
      const { items } = await client.get<RecordsPage>(PATHS.records, query);
      return items.map(({ content }) => content.text).sort();
    };
    expect(await contents({ namespace, order: 'oldest', limit: 1 })).toEqual(['alice prefers aisle seats']);
    expect(await contents({ namespace, search: 'green tea' })).toContain('alice drinks green tea');
    expect(await contents({ namespace, metadataField: 'topic', metadataValue: 'travel' })).toHaveLength(1);
    expect(await contents({ namespace, metadataField: 'topic' })).toHaveLength(2);
    expect(await contents({ namespace, kind: 'fact', speaker: 'user' })).toEqual(['alice drinks green tea']);
    expect(await contents({ namespace, conversation: 'of a*' })).toEqual([]);
    expect(await contents({ namespace, from: '2999-01-01' })).toEqual([]);
    expect(await contents({ namespace, to: '2999-01-01' })).toHaveLength(2);
    const all = await contents({ descendants: true, limit: 100 });
    expect(all).toHaveLength(6);
    expect(JSON.stringify(all)).not.toContain('chat of');
    const found = await client.get<RecordsPage>(PATHS.records, { descendants: true, search: 'green tea' });
    expect(found.items.map((row) => row.namespace).sort()).toEqual(['agent:guide:u:a*', 'agent:guide:u:alice']);
  });

  it('a long text is cut in lists and read piece by piece', async () => {
    const { config, client } = await open();
    const content = `<script>alert(1)</script> ‮${'é😀'.repeat(20_000)}`;
    await (await config.memory()).put({ id: 'long', content });
    const { items } = await client.get<RecordsPage>(PATHS.records);
    expect(items[0]?.content).toMatchObject({ length: content.length, truncated: true });
    expect(items[0]?.content.text.length).toBeLessThanOrEqual(400);
    let [read, offset]: [string, number | undefined] = ['', 0];
    while (offset !== undefined) {
      const piece: TextPiece = await client.get(PATHS.recordText, { id: 'long', offset });
      expect(piece.text.isWellFormed()).toBe(true);
      read += piece.text;
      offset = piece.nextOffset;
    }
    expect(read).toBe(content);
  });

  it('a record can be edited, buried and deleted, only in the version that was seen', async () => {
    const { client } = await filled();
    const ref = { namespace: 'agent:guide:u:alice', id: 'seat' };
    const seen = await client.get<RecordDetail>(PATHS.record, ref);
    expect(seen).toMatchObject({ version: 1, metadata: { topic: 'travel' }, can: { edit: true, delete: true } });
    const edit = { ...ref, ifVersion: 1, content: 'alice prefers window seats' };
    const edited = await client.post<RecordDetail>(PATHS.editRecord, edit);
    expect(edited).toMatchObject({ id: 'seat', version: 2, metadata: { topic: 'travel' } });
    for (const [path, body] of [
      [PATHS.editRecord, edit],
      [PATHS.buryRecord, { ...ref, ifVersion: 1, buried: true }],
      [PATHS.deleteRecord, { ...ref, ifVersion: 1 }],
    ] as const) {
      expect((await client.fetchPost(path, body)).status).toBe(409);
    }
    const search = { namespace: ref.namespace, search: 'window seats' };
    const idsFound = async () => (await client.get<RecordsPage>(PATHS.records, search)).items.map(({ id }) => id);
    expect(await idsFound()).toContain('seat');
    const buried = await client.post<RecordDetail>(PATHS.buryRecord, { ...ref, ifVersion: 2, buried: true });
    expect(buried).toMatchObject({ buried: true, version: 3, content: { text: 'alice prefers window seats' } });
    expect(await idsFound()).not.toContain('seat');
    await client.post(PATHS.buryRecord, { ...ref, ifVersion: 3, buried: false });
    expect(await idsFound()).toContain('seat');
    expect(await client.post(PATHS.deleteRecord, { ...ref, ifVersion: 4 })).toEqual({ deleted: true });
    expect((await client.fetchGet(PATHS.record, ref)).status).toBe(404);
    const other = await client.get<RecordDetail>(PATHS.record, { ...ref, namespace: 'agent:guide:u:a*' });
    expect(other.content.text).toBe('a* prefers aisle seats');
  });

  it('an edit that keeps the version before can be undone', async () => {
    const { client } = await filled();
    const namespace = 'agent:guide:u:alice';
    const content = 'alice drinks black tea';
    const body = { namespace, id: 'tea', ifVersion: 1, content, keepVersion: true };
    const edited = await client.post<RecordDetail>(PATHS.editRecord, body);
    expect(edited).toMatchObject({ supersedes: 'tea', source: { kind: 'fact' }, can: { keepVersions: true } });
    expect(edited.versions.map((one) => one.content.text)).toEqual(['alice drinks green tea', content]);
    const before = await client.get<RecordDetail>(PATHS.record, { namespace, id: 'tea' });
    expect(before).toMatchObject({ supersededBy: edited.id, validUntil: expect.any(String), can: { edit: false } });
    const restore = { namespace, id: edited.id, ifVersion: edited.version, versionId: 'tea' };
    const restored = await client.post<RecordDetail>(PATHS.restoreRecord, restore);
    expect(restored).toMatchObject({ content: { text: 'alice drinks green tea' }, metadata: { topic: 'food' } });
    expect(restored.versions).toHaveLength(3);
    const closed = await client.get<RecordsPage>(PATHS.records, { namespace, closed: true });
    expect(closed.items.filter(({ validUntil }) => validUntil !== undefined)).toHaveLength(2);
  });

  it('an utterance is shown with its neighbours in the conversation', async () => {
    const { config, client } = await open();
    const store = await config.memory();
    for (const thread of ['t1', 't2']) {
      const messages = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => ({
        role: 'user' as const,
        content: `${thread} ${text}`,
      }));
      await store.addMessages(messages, { thread, runId: thread, sequenceNumbers: [0, 1, 2, 3, 4, 5] });
    }
    const { items } = await client.get<RecordsPage>(PATHS.records, { conversation: 't1' });
    const first = items.find(({ content }) => content.text === 't1 a');
    const detail = await client.get<RecordDetail>(PATHS.record, { id: first?.id });
    expect(detail.neighbours.map(({ content }) => content.text)).toEqual(['t1 a', 't1 b', 't1 c', 't1 d']);
  });

  it('an utterance whose source names no conversation is shown with its neighbours in its thread', async () => {
    const { config, client } = await open();
    const store = await config.memory();
    for (const index of [0, 1, 2, 3, 4, 5, 6]) {
      for (const thread of ['t1', 't2']) {
        await store.put({ id: `${thread}-${index}`, content: `${thread} ${index}`, turn: { thread, index } });
      }
    }
    await store.putMany(Array.from({ length: 300 }, (_, number) => ({ content: `said later ${number}` })));
    const detail = await client.get<RecordDetail>(PATHS.record, { id: 't1-2' });
    expect(detail.neighbours.map(({ id }) => id)).toEqual(['t1-0', 't1-1', 't1-2', 't1-3', 't1-4', 't1-5']);
  });

  it('a deletion removes exactly what its preview showed, once', async () => {
    const { config, client } = await open();
    const store = (await config.memory()).within(['bulk']);
    await store.putMany(
      Array.from({ length: 130 }, (_, n) => ({ id: `r${n}`, content: `note ${n}`, metadata: { batch: n % 2 } })),
    );
    const select = { namespace: 'bulk', metadataField: 'batch', metadataValue: '0' };
    const preview = await client.post<DeletionPreview>(PATHS.previewDeletion, { select });
    expect(preview).toMatchObject({ count: 65, more: false });
    expect(preview.sample).toHaveLength(20);
    await store.put({ id: 'r0', content: 'changed since', metadata: { batch: 0 } });
    await store.put({ id: 'r200', content: 'new since', metadata: { batch: 0 } });
    await store.delete('r2');
    let progress: DeletionProgress;
    do {
      progress = await client.post<DeletionProgress>(PATHS.stepDeletion, { token: preview.token });
    } while (progress.left > 0);
    expect(progress).toEqual({ deleted: 63, changed: 1, gone: 1, left: 0 });
    expect((await client.fetchPost(PATHS.stepDeletion, { token: preview.token })).status).toBe(409);
    const left = (await store.list({ limit: 1_000 })).items.map(({ id }) => id);
    expect(left).toHaveLength(67);
    expect(left).toEqual(expect.arrayContaining(['r0', 'r200', 'r1']));
    const named = {
      records: [
        { namespace: 'bulk', id: 'r1', version: 1 },
        { namespace: 'bulk', id: 'r0', version: 1 },
      ],
    };
    expect(await client.post(PATHS.previewDeletion, named)).toMatchObject({ count: 1 });
    const searched = await client.post<DeletionPreview>(PATHS.previewDeletion, {
      select: { namespace: 'bulk', search: 'changed since' },
    });
    expect(searched.sample[0]).toMatchObject({ id: 'r0', version: 2 });
  });

  it('asks: the hits with explanations, and the block that a model would get', async () => {
    const { client } = await filled();
    const answer = await client.get<Answer>(PATHS.ask, { question: 'Which tea?', user: 'alice', agent: 'guide' });
    expect(answer.namespace).toBe('agent:guide:u:alice');
    const [best] = answer.hits;
    expect(best).toMatchObject({ rank: 1, id: 'tea', injected: true, explanation: expect.any(Object) });
    const { sum, factors } = best?.explanation ?? { sum: {}, factors: {} };
    const total = Object.values(sum).reduce((one, other) => one + other, 0);
    const score = Object.values(factors).reduce((one, other) => one * other, total);
    expect(score).toBeCloseTo(best?.score ?? 0, 6);
    expect(answer.block?.text).toContain('alice drinks green tea');
    expect(answer.block?.text).not.toContain('a* drinks');
    expect(answer.blockTokens).toBeGreaterThan(0);
    const nothing = await client.get<Answer>(PATHS.ask, { question: 'Which tea?', namespace: 'nobody' });
    expect(nothing).toMatchObject({ hits: [], blockTokens: 0 });
  });

  it('sessions are listed, and shown from the end', async () => {
    const { config, client } = await filled();
    const sessions = await client.get<PageOf<SessionRow>>(PATHS.sessions);
    expect(sessions.items).toHaveLength(2);
    await (await config.sessions())
      .open('long')
      .addItems(Array.from({ length: 5 }, (_, n) => ({ role: 'user', content: `item ${n}` })));
    const end = await client.get<SessionTimeline>(PATHS.session, { id: 'long', limit: 3 });
    expect(end.items.map(({ content, position }) => [content.text, position])).toEqual([
      ['item 2', 2],
      ['item 3', 1],
      ['item 4', 0],
    ]);
    const rest = await client.get<SessionTimeline>(PATHS.session, { id: 'long', limit: 3, skip: end.nextSkip });
    expect(rest.items.map(({ content }) => content.text)).toEqual(['item 0', 'item 1']);
    expect(rest.nextSkip).toBeUndefined();
    const piece = await client.get<TextPiece>(PATHS.sessionItem, { id: 'long', position: 1 });
    expect(JSON.parse(piece.text)).toEqual({ role: 'user', content: 'item 3' });
    expect((await client.fetchGet(PATHS.sessionItem, { id: 'long', position: 5 })).status).toBe(404);
  });

  it('conversations and runs are listed and shown, with what is needed to resume', async () => {
    const { client } = await filled();
    const { items } = await client.get<PageOf<ConversationRow>>(PATHS.conversations);
    expect(items.map(({ sessionId }) => sessionId).sort()).toEqual(['chat of a*', 'chat of alice']);
    const own = await client.get<PageOf<ConversationRow>>(PATHS.conversations, { user: 'alice' });
    expect(own.items).toMatchObject([{ sessionId: 'chat of alice', userId: 'alice' }]);
    const sessionId = 'chat of alice';
    const detail = await client.get<ConversationDetail>(PATHS.conversation, { sessionId });
    expect(detail.runs.items.map(({ status }) => status)).toEqual(['paused', 'completed']);
    const waiting = await client.get<PageOf<RunRow>>(PATHS.unfinishedRuns, { status: 'paused' });
    expect(waiting.items.map(({ pauseReason }) => pauseReason)).toEqual(['approval', 'approval']);
    const [paused, completed] = detail.runs.items;
    const run = await client.get<RunDetail>(PATHS.run, { sessionId, runId: paused?.runId });
    expect(run.resume).toMatchObject({ resumable: true, checkpoint: { text: expect.stringContaining('step') } });
    const done = await client.get<RunDetail>(PATHS.run, { sessionId, runId: completed?.runId });
    expect(done).toMatchObject({ items: [{ content: { text: sessionId } }], resume: { resumable: false } });
    const item = { sessionId, runId: completed?.runId, position: 0 };
    expect(JSON.parse((await client.get<TextPiece>(PATHS.runItem, item)).text)).toMatchObject({ content: sessionId });
    expect((await client.fetchGet(PATHS.conversation, { sessionId: 'none' })).status).toBe(404);
  });

  it('a user who has sessions alone is listed', async () => {
    const { config, client } = await open();
    const space = await config.space();
    const scope = space.as({ principal: { id: 'carol' }, agent: 'guide' });
    await scope.session('s1').addItems([{ role: 'user', content: 'hello' }]);
    await scope.session('s2').addItems([{ role: 'user', content: 'hello again' }]);
    await (await config.sessions()).open('of nobody').addItems([{ role: 'user', content: 'hello' }]);
    expect(await client.get<UsersPage>(PATHS.users)).toMatchObject({
      items: [{ id: 'carol', type: 'user', recordCount: 0, sessions: 2 }],
      moreSessions: false,
    });
  });

  it('a user is shown, exported and erased completely, and nobody else', async () => {
    const { config, client } = await filled();
    const users = await client.get<PageOf<UserRow>>(PATHS.users);
    expect(users.items).toMatchObject([
      { id: 'a*', recordCount: 2, conversations: 1, sessions: 1, agents: ['guide'] },
      { id: 'alice', recordCount: 2, conversations: 1, sessions: 1 },
    ]);
    const page = await client.get<PageOf<UserRow>>(PATHS.users, { limit: 1 });
    const next = await client.get<PageOf<UserRow>>(PATHS.users, { cursor: page.cursor });
    expect(next.items.map(({ id }) => id)).toEqual(['alice']);
    const shown = await client.get<UserDetail>(PATHS.user, { id: 'alice', shared: true });
    const counts = { memories: 2, sharedEntries: 1, sessions: 1, sessionItems: 1, conversations: 1, runs: 2 };
    expect(shown.counts).toMatchObject(counts);
    const exported = await client.fetchGet(PATHS.exportUser, { id: 'alice' });
    expect(exported.headers.get('content-disposition')).toContain('keepsake-alice.jsonl');
    const lines = (await exported.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ keepsake: 'user-export', principal: { id: 'alice' } });
    expect(JSON.stringify(lines)).toContain('alice drinks green tea');
    expect(JSON.stringify(lines)).not.toContain('a* drinks');
    const erase = { id: 'alice', type: 'user', shared: true, confirm: 'alice' };
    expect((await client.fetchPost(PATHS.eraseUser, { ...erase, confirm: 'Alice' })).status).toBe(400);
    const receipt = await client.post<ErasureReceipt>(PATHS.eraseUser, erase);
    expect(receipt.counts).toMatchObject(counts);
    expect(receipt.receipt).toMatchObject({ principal: { id: 'alice' }, dryRun: false });
    const left = await client.get<UserDetail>(PATHS.user, { id: 'alice', shared: true });
    expect(Object.values(left.counts).every((count) => count === 0)).toBe(true);
    const other = await client.get<UserDetail>(PATHS.user, { id: 'a*', shared: true });
    expect(other.counts).toMatchObject(counts);
    expect((await (await config.space()).inspect({ principal: { id: 'alice' } })).length).toBe(0);
  });

  it('health tries each part and counts', async () => {
    const { config, client } = await filled();
    const outbox = (await config.memory()).within(['agent', 'guide', 'u', 'alice', 'keepsake-outbox']);
    await outbox.put({ content: '.turn', index: false });
    const health = await client.get<Health>(PATHS.health);
    expect(health.checks.map(({ part, ok }) => [part, ok])).toEqual([
      ['memory', true],
      ['sessions', true],
      ['conversations', true],
      ['space', true],
    ]);
    expect(health.counts).toMatchObject({ sessions: 2, more: false });
    expect(health.counts.records).toBeGreaterThan(6);
    expect(health.outbox).toEqual([{ namespace: 'agent:guide:u:alice:keepsake-outbox', recordCount: 1 }]);
    expect(health.deadLetters).toEqual([]);
  });

  it('live changes when another writer adds a record', async () => {
    const { config, client } = await filled();
    const namespace = 'agent:guide:u:alice';
    const mark = async () => (await client.get<Live>(PATHS.live, { namespace })).mark;
    const before = await mark();
    expect(await mark()).toBe(before);
    await (await config.memory()).within(['agent', 'guide', 'u', 'a*']).add('of another user');
    expect(await mark()).toBe(before);
    await (await config.memory()).within(['agent', 'guide', 'u', 'alice']).add('new');
    expect(await mark()).not.toBe(before);
  });

  it('live tells of a record on the screen that another writer edits, buries or deletes, in any namespace', async () => {
    const { config, client } = await filled();
    const records = (await config.memory()).within(['agent', 'guide', 'u', 'alice']);
    const seen = JSON.stringify([['agent:guide:u:alice', ['seat', 'tea', 'missing']]]);
    const look = () => client.get<Live>(PATHS.live, { descendants: true, seen });
    const [seat, tea] = [await records.get('seat'), await records.get('tea')];
    const { version, updatedAt } = seat ?? {};
    expect((await look()).seen).toEqual([
      { version, updatedAt },
      expect.objectContaining({ version: tea?.version }),
      null,
    ]);
    const edited = await records.put({ id: 'seat', content: 'Prefers a seat by the window' });
    expect((await look()).seen[0]).toEqual({ version: edited.version, updatedAt: edited.updatedAt });
    const buried = await records.put({ id: 'seat', content: edited.content, index: false });
    expect((await look()).seen[0]).toMatchObject({ version: buried.version });
    await records.delete('seat');
    expect((await look()).seen[0]).toBeNull();
    for (const wrong of ['{', '[1]', '[["a", "b"]]', JSON.stringify([['a', Array.from({ length: 101 }, String)]])]) {
      expect((await client.fetchGet(PATHS.live, { seen: wrong })).status).toBe(400);
    }
  });

  it('live tells of a deletion in one namespace among many records', async () => {
    const { config, client } = await filled();
    const store = (await config.memory()).within(['many']);
    await store.putMany(Array.from({ length: 30 }, (_, index) => ({ id: `r${index}`, content: `record ${index}` })));
    const mark = async () => (await client.get<Live>(PATHS.live, { namespace: 'many' })).mark;
    const before = await mark();
    await store.delete('r0');
    await expect.poll(mark).not.toBe(before);
  });

  it('records that a program keeps for itself are shown, and cannot be changed', async () => {
    const { client } = await filled();
    const namespace = 'conversations:sessions';
    const { items } = await client.get<RecordsPage>(PATHS.records, { namespace });
    expect(items).toHaveLength(2);
    const [row] = items;
    const ref = { namespace, id: row?.id, ifVersion: row?.version };
    const detail = await client.get<RecordDetail>(PATHS.record, { namespace, id: row?.id });
    expect(detail.can).toEqual({ edit: false, keepVersions: false, delete: false });
    expect((await client.fetchPost(PATHS.deleteRecord, ref)).status).toBe(400);
    expect((await client.fetchPost(PATHS.previewDeletion, { select: { namespace } })).status).toBe(400);
  });
});
