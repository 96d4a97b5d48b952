import { isObject, withoutUndefined } from '@keepsake/internal';
import { brokenInput } from '../broken-input.ts';
import type { FoundEntry } from '../found-entry.ts';
import type { Format, UnknownObject } from './format.ts';
import { isoTime } from './iso-time.ts';
import { digestOf } from './utterance.ts';

/**
 * Memories of mem0: those that `getAll` or `search` returns, in an object or one by one. Those of a user are imported into the
 * namespace of this user.
 */
export const mem0: Format = {
  name: 'mem0',
  matches: (value) => isMemory(value) || listIn(value) !== undefined,
  *read(value, place) {
    const list = listIn(value);
    if (list === undefined) yield toFoundEntry(value, place);
    else for (const [index, memory] of list.entries()) yield toFoundEntry(memory, `${place}, memory ${index + 1}`);
  },
};

function isMemory({ id, memory }: UnknownObject): boolean {
  return typeof id === 'string' && typeof memory === 'string';
}

function listIn({ results, memories }: UnknownObject): readonly unknown[] | undefined {
  const list = [results, memories].find((one) => Array.isArray(one) && one.every(isObject)) as unknown[] | undefined;
  return list?.every((memory) => 'memory' in (memory as object)) ? list : undefined;
}

function toFoundEntry(memory: unknown, place: string): FoundEntry {
  if (!isObject(memory) || !isMemory(memory)) {
    const failure = brokenInput(`${place} must be { "id": "…", "memory": "…" }.`);
    return { place, skipped: 'broken', failure };
  }
  const { id, memory: content, metadata, categories } = memory as UnknownObject & { readonly memory: string };
  if (content.trim() === '') return { place, skipped: 'blank' };
  const user = nameIn(memory, 'user_id', 'userId');
  const expires = isoTime(memory.expiration_date ?? memory.expirationDate);
  const ttlMs = expires === undefined ? undefined : Date.parse(expires) - Date.now();
  if (ttlMs !== undefined && ttlMs <= 0) return { place, skipped: 'expired' };
  const record = {
    // With the content, because a memory that changes keeps its id.
    id: `import-${digestOf(['mem0', id, content])}`,
    content,
    createdAt: isoTime(memory.created_at ?? memory.createdAt),
    ttlMs,
    metadata: withoutUndefined({
      ...(isObject(metadata) ? metadata : {}),
      agentId: nameIn(memory, 'agent_id', 'agentId'),
      runId: nameIn(memory, 'run_id', 'runId'),
      appId: nameIn(memory, 'app_id', 'appId'),
      categories: Array.isArray(categories) && categories.length > 0 ? categories : undefined,
    }),
  };
  return {
    place,
    record: withoutUndefined(record) as Extract<FoundEntry, { record: unknown }>['record'],
    ...(user === undefined ? {} : { namespace: ['u', user] }),
  };
}

function nameIn(memory: UnknownObject, ...fields: readonly string[]): string | undefined {
  return fields.map((field) => memory[field]).find((name) => typeof name === 'string' && name !== '') as
    | string
    | undefined;
}
