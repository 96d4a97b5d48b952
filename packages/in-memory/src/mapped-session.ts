import type { JsonObject } from '@keepsake/core';
import { AbstractSession, type AskedHistory, type DecideEdit, encodeItems } from '@keepsake/core/adapter';
import { SessionHistory } from './session-history.ts';

/** A session in a map of histories that the caller owns. */
export class MappedSession<Item extends object = JsonObject> extends AbstractSession<Item> {
  constructor(sessionId: string, histories: Map<string, SessionHistory>, initialItems: readonly Item[] = []) {
    const append = (items: readonly string[]) => {
      let history = histories.get(sessionId);
      if (history === undefined) {
        history = new SessionHistory();
        histories.set(sessionId, history);
      }
      history.append(items);
    };
    super(sessionId, {
      newest: (limit) => histories.get(sessionId)?.newest(limit) ?? [],
      append,
      change({ items, onlyDamaged, operation }: AskedHistory, decide: DecideEdit) {
        const storedHistory = histories.get(sessionId);
        const history = storedHistory ?? new SessionHistory();
        const edit = decide({
          exists: storedHistory !== undefined,
          // Nobody else can damage them.
          items: onlyDamaged ? [] : history.newest(items),
          digest: operation && history.digestOf(operation.operationId),
        });
        if (edit === undefined) return;
        history.edit(edit, operation);
        histories.set(sessionId, history);
      },
    });
    const encoded = encodeItems(initialItems, 'initialItems');
    if (encoded.length > 0) append(encoded);
  }
}
