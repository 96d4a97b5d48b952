import { formatNamespace } from '@keepsake/core';
import { allItems, isOutbox } from '@keepsake/internal';
import type { Principal } from '../space/principal.ts';
import { filledNamespacesWith, sharedNamespaces } from '../space/tree.ts';
import { ownSessions, toArray, type UserPlaces, writtenBy } from './erase-user.ts';

/**
 * Exports all data of a principal as JSON lines, each with its line break. The first line is a header. Then follow private
 * memories and unsaved turns of managers (`memory`, `outbox`), entries they wrote in shared memory (`shared`), and their
 * conversations (`session`, each followed by its `item`s, oldest first). Then follow the lines of other user data, each as
 * it is, after a line that names it (`data`).
 */
export async function* exportUser(
  { store, sessions, owners, userData }: UserPlaces,
  principal: Required<Principal>,
): AsyncGenerator<string> {
  yield line({ keepsake: 'user-export', version: 1, principal, exportedAt: new Date().toISOString() });
  const some = filledNamespacesWith(store, owners.segmentOf(principal));
  for (const { namespace } of await toArray(some, (info) => owners.belongsTo(info.namespace, principal))) {
    const place = store.within(namespace);
    const kind = isOutbox(namespace) ? 'outbox' : 'memory';
    const records = allItems((page) => place.list({ ...page, order: 'oldest', history: true }));
    for await (const record of records) yield line({ kind, namespace: formatNamespace(namespace), record });
  }
  // Anybody can have written to any of these.
  for (const namespace of await sharedNamespaces(store, owners)) {
    for await (const record of writtenBy(store.within(namespace), principal)) {
      yield line({ kind: 'shared', namespace: formatNamespace(namespace), record });
    }
  }
  for (const info of sessions === undefined ? [] : await ownSessions(sessions, owners, principal)) {
    yield line({ kind: 'session', ...info });
    const items = (await sessions?.open(info.sessionId).getItems()) ?? [];
    for (const item of items) yield line({ kind: 'item', sessionId: info.sessionId, item });
  }
  for (const [name, data] of principal.type === 'user' ? userData : []) {
    yield line({ kind: 'data', name });
    yield* data.exportUser(principal.id);
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
