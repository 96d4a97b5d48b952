import { ConversationMemory } from '@keepsake/conversations';
import type { MemoryRecord, RecordStore, SessionStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { allItems } from '@keepsake/internal';
import type { Place } from './backends.ts';

const DAY_MS = 86_400_000;

/** Records of several namespaces in all that a record can be, sessions and a conversation. */
export async function fill({ store, sessions }: Place): Promise<void> {
  await store.putMany([
    {
      id: 'a:b/../c',
      content: 'Line 1\nLine 2\u2028💡 "quoted"',
      metadata: { deep: { list: [1, null, { yes: true }] } },
      createdAt: '2019-12-31T23:59:59.999Z',
      turn: { thread: 'a thread', index: 7, speaker: 'Zoë' },
      source: { conversation: 'a thread', run: 'r', speaker: 'Zoë', kind: 'utterance' },
    },
    { id: 'hidden', content: 'Kept out of search', index: false },
    { id: 'expires', content: 'Parked on level 3', ttlMs: DAY_MS },
    { id: 'berlin', content: 'Lives in Berlin', createdAt: '2020-01-01T00:00:00.000Z' },
  ]);
  for (const content of ['twice', 'thrice']) await store.put({ id: 'hidden', content, index: false });
  await store.put({
    id: 'porto',
    content: 'Lives in Porto',
    supersedes: 'berlin',
    validFrom: '2021-05-01T00:00:00.000Z',
  });
  await store.put({ id: 'lisbon', content: 'Lives in Lisbon', supersedes: 'porto' });
  await store.put({ id: 'lisbon', content: 'Lives in Lisbon, in Rua da Rosa', supersedes: 'porto' });
  for (const user of ['a*', 'a:b']) {
    const records = Array.from({ length: 620 }, (_, n) => ({ id: `n${n}`, content: `Number ${n} of ${user}` }));
    await store.within(['u', user]).putMany(records);
  }
  for (const id of ['older', 'a*']) await sessions.open(id).addItems([{ role: 'user', content: `Said in ${id}` }]);
  await sessions.open('long').addItems(Array.from({ length: 1_100 }, (_, n) => ({ n })));
  const conversation = new ConversationMemory({ store }).for('agent', { sessionId: 'chat', userId: 'alice' });
  await conversation.save({ status: 'paused', items: [{ role: 'user', content: 'Book it' }] });
}

/** All that a copy keeps, in order. */
export async function contentsOf({
  store,
  sessions,
}: {
  readonly store: RecordStore;
  readonly sessions: SessionStore;
}) {
  const records: Record<string, unknown[]> = { '': await recordsOf(store) };
  for await (const { namespace } of allItems((options) => store.namespaces(options))) {
    records[JSON.stringify(namespace)] = await recordsOf(store.within(namespace));
  }
  const listed = [];
  for await (const { sessionId } of allItems((options) => sessions.list(options))) {
    listed.push([sessionId, await sessions.open(sessionId).getItems()]);
  }
  return { records, sessions: listed };
}

async function recordsOf(store: RecordStore): Promise<unknown[]> {
  const records: unknown[] = [];
  for await (const record of allItems((options) => store.list({ ...options, order: 'oldest', history: true }))) {
    records.push(keptOf(record));
  }
  return records;
}

/** How often it was put, and the expiry to the hour, because a lifetime is measured again. */
function keptOf({ updatedAt: _, expiresAt, version, ...kept }: MemoryRecord) {
  return { ...kept, puts: putCount(version), expiresAt: expiresAt && Math.round(Date.parse(expiresAt) / 3_600_000) };
}
