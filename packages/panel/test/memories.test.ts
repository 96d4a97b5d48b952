import { putTimes } from '@keepsake/testing/put-times';
import { expect, it } from 'vitest';
import {
  type DeletionPreview,
  type DeletionProgress,
  type NamespaceLevel,
  PATHS,
  type RecordDetail,
  type RecordsPage,
  type TextPiece,
} from '../src/protocol.ts';
import type { Client } from './support/client.ts';
import { describeOnBackends } from './support/describe-on-backends.ts';

describeOnBackends(({ open, filled }) => {
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
    expect(seen).toMatchObject({
      version: putTimes(1),
      metadata: { topic: 'travel' },
      can: { edit: true, delete: true },
    });
    const { version } = seen;
    const edit = { ...ref, ifVersion: version, content: 'alice prefers window seats' };
    const edited = await client.post<RecordDetail>(PATHS.editRecord, edit);
    expect(edited).toMatchObject({ id: 'seat', version: putTimes(2), metadata: { topic: 'travel' } });
    for (const [path, body] of [
      [PATHS.editRecord, edit],
      [PATHS.buryRecord, { ...ref, ifVersion: version, buried: true }],
      [PATHS.deleteRecord, { ...ref, ifVersion: version }],
    ] as const) {
      expect((await client.fetchPost(path, body)).status).toBe(409);
    }
    const search = { namespace: ref.namespace, search: 'window seats' };
    const idsFound = async () => (await client.get<RecordsPage>(PATHS.records, search)).items.map(({ id }) => id);
    expect(await idsFound()).toContain('seat');
    const buried = await client.post<RecordDetail>(PATHS.buryRecord, {
      ...ref,
      ifVersion: edited.version,
      buried: true,
    });
    expect(buried).toMatchObject({
      buried: true,
      version: putTimes(3),
      content: { text: 'alice prefers window seats' },
    });
    expect(await idsFound()).not.toContain('seat');
    await client.post(PATHS.buryRecord, { ...ref, ifVersion: version + 2, buried: false });
    expect(await idsFound()).toContain('seat');
    expect(await client.post(PATHS.deleteRecord, { ...ref, ifVersion: version + 3 })).toEqual({ deleted: true });
    expect((await client.fetchGet(PATHS.record, ref)).status).toBe(404);
    const other = await client.get<RecordDetail>(PATHS.record, { ...ref, namespace: 'agent:guide:u:a*' });
    expect(other.content.text).toBe('a* prefers aisle seats');
  });

  it('an edit that keeps the version before can be undone', async () => {
    const { client } = await filled();
    const namespace = 'agent:guide:u:alice';
    const content = 'alice drinks black tea';
    const { version: ifVersion } = await client.get<RecordDetail>(PATHS.record, { namespace, id: 'tea' });
    const body = { namespace, id: 'tea', ifVersion, content, keepVersion: true };
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
    const versionOf = async (id: string) => (await store.get(id))?.version as number;
    const named = {
      records: [
        { namespace: 'bulk', id: 'r1', version: await versionOf('r1') },
        { namespace: 'bulk', id: 'r0', version: (await versionOf('r0')) - 1 },
      ],
    };
    expect(await client.post(PATHS.previewDeletion, named)).toMatchObject({ count: 1 });
    const searched = await client.post<DeletionPreview>(PATHS.previewDeletion, {
      select: { namespace: 'bulk', search: 'changed since' },
    });
    expect(searched.sample[0]).toMatchObject({ id: 'r0', version: putTimes(2) });
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
