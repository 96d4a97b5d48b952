import { allItems } from '@keepsake/internal';
import { invalid, readQuery, text, whole } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import { LIMITS, type PageOf, type PrincipalRef, type UserRow } from '../protocol.ts';

const USERS = {
  search: text(256),
  cursor: text(2_048),
  limit: whole(1, LIMITS.pageSize, LIMITS.defaultPageSize),
} as const;

/** The users and services that have memories or conversations, sorted by id. Users who only have sessions are not listed. */
export async function listUsers(panel: PanelParts, query: URLSearchParams): Promise<PageOf<UserRow>> {
  const { search, cursor, limit } = readQuery(query, USERS);
  const after = cursor === undefined ? '' : checkCursor(cursor);
  const wanted = search?.toLowerCase();
  const users = [...(await usersOf(panel))]
    .filter(([key, { id }]) => key > after && (wanted === undefined || id.toLowerCase().includes(wanted)))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const shown = users.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(([, user]) => user),
    ...(last !== undefined && users.length > shown.length && { cursor: last[0] }),
  };
}

/** By a key that sorts by id. */
async function usersOf({ config, tree }: PanelParts): Promise<Map<string, UserRow>> {
  const users = new Map<string, UserRow>();
  const add = ({ id, type }: PrincipalRef, found: Partial<UserRow>) => {
    const key = JSON.stringify([id, type]);
    const { recordCount = 0, namespaces = 0, conversations = 0, agents = [] } = users.get(key) ?? {};
    users.set(key, {
      id,
      type,
      recordCount: recordCount + (found.recordCount ?? 0),
      namespaces: namespaces + (found.namespaces ?? 0),
      conversations: conversations + (found.conversations ?? 0),
      agents: [...new Set([...agents, ...(found.agents ?? [])])],
    });
  };
  const space = await config.space();
  for (const { namespace, recordCount } of await tree.all()) {
    const { principal, agents } = space.describe(namespace);
    if (principal !== undefined) add(principal, { recordCount, namespaces: 1, agents });
  }
  const memory = await config.conversations();
  for await (const { userId, sessions } of allItems((page) => memory.listUsers(page))) {
    add({ id: userId, type: 'user' }, { conversations: sessions });
  }
  return users;
}

function checkCursor(cursor: string): string {
  if (!cursor.startsWith('["')) throw invalid('This cursor is not from a list of users. Start without a cursor.');
  return cursor;
}
