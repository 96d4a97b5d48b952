import { allItems } from '@keepsake/internal';
import { invalid, readQuery, text, whole } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import { LIMITS, type PrincipalRef, type UserRow, type UsersPage } from '../protocol.ts';

const USERS = {
  search: text(256),
  cursor: text(2_048),
  limit: whole(1, LIMITS.pageSize, LIMITS.defaultPageSize),
} as const;

/** The users and services that have memories, conversations or sessions, sorted by id. */
export async function listUsers(panel: PanelParts, query: URLSearchParams): Promise<UsersPage> {
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
    moreSessions: (await panel.sessionOwners.all()).more,
    ...(last !== undefined && users.length > shown.length && { cursor: last[0] }),
  };
}

/** By a key that sorts by id. */
async function usersOf({ config, tree, sessionOwners }: PanelParts): Promise<Map<string, UserRow>> {
  const users = new Map<string, UserRow>();
  const add = ({ id, type }: PrincipalRef, part: Partial<UserRow>) => {
    const key = JSON.stringify([id, type]);
    const user = users.get(key);
    const sum = (count: 'recordCount' | 'namespaces' | 'conversations' | 'sessions') =>
      (user?.[count] ?? 0) + (part[count] ?? 0);
    users.set(key, {
      id,
      type,
      recordCount: sum('recordCount'),
      namespaces: sum('namespaces'),
      conversations: sum('conversations'),
      sessions: sum('sessions'),
      agents: [...new Set([...(user?.agents ?? []), ...(part.agents ?? [])])],
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
  for (const owner of (await sessionOwners.all()).owners) add(owner, { sessions: 1 });
  return users;
}

function checkCursor(cursor: string): string {
  if (!cursor.startsWith('["')) throw invalid('This cursor is not from a list of users. Start without a cursor.');
  return cursor;
}
