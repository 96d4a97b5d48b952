import assert from 'node:assert/strict';
import type { SessionInfo, SessionListOptions, SessionStore } from '@keepsake/core';
import type { Case, CaseGroup, Closable } from '../kit.ts';

/** An empty store. */
export interface SessionStoreHarness extends Closable {
  readonly store: SessionStore;
  /** Another store in the same place, as a second process would open it. The first stays open. */
  reopen(): SessionStore | Promise<SessionStore>;
}

/** What a session store promises beyond the common contract. */
export interface SessionStoreCapabilities {
  /** Whether a second store in the same place sees the sessions of the first. */
  readonly shared: boolean;
}

export type SessionStoreCase = Case<SessionStoreHarness, SessionStoreCapabilities>;
export type SessionStoreCaseGroup = CaseGroup<SessionStoreHarness, SessionStoreCapabilities>;

/** All sessions, or those that the options select, from all pages. */
export async function listAll(
  store: SessionStore,
  options: Omit<SessionListOptions, 'cursor'> = {},
): Promise<SessionInfo[]> {
  const sessions: SessionInfo[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 500; page++) {
    const { items, cursor: next } = await store.list({ ...options, ...(cursor === undefined ? {} : { cursor }) });
    sessions.push(...items);
    if (next === undefined) return sessions;
    cursor = next;
  }
  return assert.fail('the list did not end');
}

export async function listIds(store: SessionStore, options?: Omit<SessionListOptions, 'cursor'>): Promise<string[]> {
  return (await listAll(store, options)).map(({ sessionId }) => sessionId);
}

/** The list entry of a session. */
export async function infoOf(store: SessionStore, sessionId: string): Promise<SessionInfo | undefined> {
  return (await listAll(store)).find((info) => info.sessionId === sessionId);
}

/** Waits until times in milliseconds differ. */
export function later(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
