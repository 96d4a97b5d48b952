import { formatNamespace, type RecordStore, type SessionStore } from '@keepsake/core';
import { allOf } from '../space/pages.ts';
import { type Principal, principalOf } from '../space/principal.ts';
import { isOutbox } from '../space/reserved.ts';
import type { Actor } from '../space/session-ids.ts';
import { held } from '../space/tree.ts';
import { belongsTo, ownSessions, toArray, writtenBy } from './erase-user.ts';

/**
 * All that there is of a principal, as lines of JSON, each with its line break. The first says what this is; then come
 * private memories and what managers had still to save (`memory`, `outbox`), what they wrote of what is shared (`shared`),
 * and their conversations (`session`, each followed by its `item`s, oldest first).
 *
 * @param withoutAuth - The actors that are this principal without saying so.
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
      owner === undefined ? writtenBy(place, principal) : allOf((page) => place.list({ ...page, order: 'oldest' }));
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
