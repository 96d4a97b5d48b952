import type { DurableSession, JsonObject, RecordStore, Session } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { RedactedDurableSession, RedactedSession } from './redacted-session.ts';
import { RedactedStore } from './redacted-store.ts';

/**
 * Wraps a session or a store, and redacts texts with `redactJson` before they reach it: items of a session; the content and
 * the metadata of records, messages, and queries, so that an embedder gets no secret either.
 *
 * Ids, namespaces, `turn` and `source` are names and stay as they are, so don't put secrets into them. Stored texts also
 * stay: reading changes nothing. The wrapper has the capabilities of what it wraps. Stores of its `within()` redact too, and
 * closing it closes the wrapped store. To encrypt as well, redact first: `redacted(encrypted(session, keys))`. The other way
 * round, it sees nothing but ciphertext, which it leaves as it is.
 *
 * Changes of a session compare redacted items, so an expected suffix may contain the items as they were or as they are read.
 *
 * @example
 * const store = redacted(new InMemoryStore({ name: 'facts' }));
 * await store.add('The staging DB_PASSWORD="correct horse"'); // stores: The staging DB_PASSWORD="[redacted]"
 */
export function redacted<Item extends object = JsonObject>(session: DurableSession<Item>): DurableSession<Item>;
export function redacted<Item extends object = JsonObject>(session: Session<Item>): Session<Item>;
export function redacted(store: RecordStore): RecordStore;
export function redacted(wrapped: Session | DurableSession | RecordStore): Session | RecordStore {
  const candidate: object = isObject(wrapped) ? wrapped : {};
  if ('applyHistoryTransaction' in candidate) return new RedactedDurableSession(candidate as DurableSession);
  if ('getItems' in candidate) return new RedactedSession(candidate as Session);
  expect('putMany' in candidate, 'redacted() needs a session or a record store, such as `new InMemorySession()`.');
  return new RedactedStore(candidate as RecordStore);
}
