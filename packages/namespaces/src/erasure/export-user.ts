import { formatNamespace, type RecordStore, type SessionStore } from '@keepsake/core';
import { allItems } from '@keepsake/internal';
import { type Principal, principalOf } from '../space/principal.ts';
import { isOutbox } from '../space/reserved.ts';
import type { Actor } from '../space/session-ids.ts';
import { held } from '../space/tree.ts';
import { belongsTo, ownSessions, toArray, writtenBy } from './erase-user.ts';

/**
 * Exports all data of a principal as JSON lines, each with its line break. The first line is a header. Then follow private
 * memories and unsaved turns of managers (`memory`, `outbox`), entries they wrote in shared memory (`shared`), and their
 * conversations (`session`, each followed by its `item`s, oldest first).
 *
 * @param withoutAuth - The actors without a principal in their id that belong to this principal.
 */
export async function* exportUser(
  store: RecordStore,
  sessions: SessionStore | undefined,
  principal: Required<Principal>,
  withoutAuth: readonly Actor[],
): AsyncGenerator<string> {
  yield line({ keepsake: 'user-export', version: 1, principal, exportedAt: new Date().toISOString() });
  for (const { namespace } of await toArray(held(store), () => true)) {
    const owner = principalOf(namespace);
    if (owner !== undefined && !belongsTo(namespace, principal)) continue;
    const place = store.within(namespace);
    const kind = owner === undefined ? 'shared' : isOutbox(namespace) ? 'outbox' : 'memory';
    const records =
      owner === undefined ? writtenBy(place, principal) : allItems((page) => place.list({ ...page, order: 'oldest' }));
    for await (const record of records) yield line({ kind, namespace: formatNamespace(namespace), record });
  }
  for (const info of sessions === undefined ? [] : await ownSessions(sessions, principal, withoutAuth)) {
    yield line({ kind: 'session', ...info });
    const items = (await sessions?.open(info.sessionId).getItems()) ?? [];
    for (const item of items) yield line({ kind: 'item', sessionId: info.sessionId, item });
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
