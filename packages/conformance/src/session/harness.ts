import type { DurableSession } from '@keepsake/core';
import type { Case, CaseGroup, Closable } from '../kit.ts';

/** A place where sessions can be opened. */
export interface SessionHarness extends Closable {
  /**
   * A new instance of the session of that id; one of a fresh id where none is given. Two instances of one id work on
   * the same data, as two processes would where the backend is shared.
   */
  open(sessionId?: string): DurableSession;

  /** Damages one stored item, as a failing disk would; 0 is the oldest. Needed where `canDamage`. */
  damage?(sessionId: string, index: number): void | Promise<void>;

  /** Makes every call to the backend fail until {@link heal}, as a lost connection would. Needed where `canFail`. */
  fail?(): void | Promise<void>;

  /** Ends what {@link fail} began. */
  heal?(): void | Promise<void>;
}

/** What a session backend promises beyond the contract that all keep. */
export interface SessionCapabilities {
  /** Whether items outlive the instance: a second instance of the same id sees them. */
  readonly shared: boolean;
  /** Whether the id stays the same after `clearSession()`. */
  readonly keepsIdOnClear: boolean;
  /** Whether any JSON object can be an item; otherwise only items that the backend's API knows. */
  readonly anyItem: boolean;
  /** Whether the caller may choose any id, and gets a UUID version 7 otherwise; else the backend makes the ids. */
  readonly anyId: boolean;
  /** Whether the harness can damage what is stored. */
  readonly canDamage?: boolean;
  /** Whether the harness can make the backend fail. */
  readonly canFail?: boolean;
}

export type SessionCase = Case<SessionHarness, SessionCapabilities>;
export type SessionCaseGroup = CaseGroup<SessionHarness, SessionCapabilities>;

/* Conditions of cases. */
export const shared = (capabilities: SessionCapabilities) => capabilities.shared;
export const anyItem = (capabilities: SessionCapabilities) => capabilities.anyItem;
export const anyId = (capabilities: SessionCapabilities) => capabilities.anyId;
export const keepsIdOnClear = (capabilities: SessionCapabilities) => capabilities.keepsIdOnClear;

/**
 * Several instances of one new session. Where instances share nothing it is one instance, several times: what holds
 * among instances must hold among the callers of one.
 */
export async function openTogether(
  harness: SessionHarness,
  capabilities: SessionCapabilities,
  count: number,
): Promise<[DurableSession, DurableSession, ...DurableSession[]]> {
  const first = harness.open();
  const sessionId = await first.getSessionId();
  const open = () => (capabilities.shared ? harness.open(sessionId) : first);
  return [open(), open(), ...Array.from({ length: count - 2 }, open)];
}
