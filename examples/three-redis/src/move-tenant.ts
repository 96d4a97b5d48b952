import { isDeepStrictEqual } from 'node:util';
import type { MemoryRecord, RecordStore, SessionStore } from '@keepsake/core';
import type { Tenant } from './shards.ts';

/**
 * Moves a tenant. Nobody may write to it meanwhile. The original is deleted after the copy was compared with it, so an
 * interrupted move loses nothing and can be repeated.
 */
export async function moveTenant(from: Tenant, to: Tenant): Promise<void> {
  await to.store.clear();
  for await (const records of pagesOf(from.store)) await to.store.putMany(records.map(copyOf));
  for (const sessionId of await idsOf(from.sessions)) {
    await to.sessions.open(sessionId).replaceHistoryWithCompaction(await from.sessions.open(sessionId).getItems());
  }
  if (!isDeepStrictEqual(await contentsOf(to), await contentsOf(from))) {
    throw new Error(`${from.name} was changed while it was moved. Stop its writers and move it again.`);
  }
  for (const sessionId of await idsOf(from.sessions)) await from.sessions.delete(sessionId);
  await from.store.clear();
}

/** What must be the same on both servers. */
async function contentsOf({ store, sessions }: Tenant): Promise<unknown> {
  const records: unknown[] = [];
  for await (const page of pagesOf(store)) records.push(...page.map(copyOf));
  const ids = (await idsOf(sessions)).sort();
  return [records, await Promise.all(ids.map(async (id) => [id, await sessions.open(id).getItems()]))];
}

function copyOf({ id, content, metadata, createdAt, turn, source, index }: MemoryRecord) {
  return { id, content, metadata, createdAt, turn, source, index };
}

async function* pagesOf(store: RecordStore): AsyncGenerator<readonly MemoryRecord[]> {
  let cursor: string | undefined;
  do {
    const page = await store.list({ order: 'oldest', cursor });
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function idsOf(sessions: SessionStore): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await sessions.list({ cursor });
    ids.push(...page.items.map(({ sessionId }) => sessionId));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}
