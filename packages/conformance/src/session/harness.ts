import type { DurableSession, Session } from '@keepsake/core';
import type { Case, CaseGroup, Closable } from '../kit.ts';

/** A place to open sessions in. */
export interface SessionHarness extends Closable {
  /**
   * A new instance of the session with that id, or with a new id. Two instances with the same id share their data, as two
   * processes would if the backend is shared. A `DurableSession`, unless `durable` is false.
   */
  open(sessionId?: string): Session;

  /** Damages a stored item, as a failing disk would; 0 is the oldest. Needed if `canDamage`. */
  damage?(sessionId: string, index: number): void | Promise<void>;

  /** Makes every call to the backend fail until {@link heal}, as a lost connection would. Needed if `canFail`. */
  fail?(): void | Promise<void>;

  /** Ends the failures of {@link fail}. */
  heal?(): void | Promise<void>;
}

/** The harness as cases see it. Only cases for a `DurableSession` call its additional methods. */
export interface DurableHarness extends SessionHarness {
  open(sessionId?: string): DurableSession;
}

/** What a session backend promises beyond the common contract. */
export interface SessionCapabilities {
  /** Whether items outlive the instance: a second instance of the same id sees them. */
  readonly shared: boolean;
  /** Whether the id stays the same after `clearSession()`. */
  readonly keepsIdOnClear: boolean;
  /** Whether any JSON object can be an item; otherwise only items that the backend's API knows. */
  readonly anyItem: boolean;
  /** Whether the caller may choose any id, and gets a UUID version 7 otherwise; else the backend makes the ids. */
  readonly anyId: boolean;
  /**
   * Whether it is a `DurableSession`, not a plain `Session` without transactions, mutations and compaction. @default true
   */
  readonly durable?: boolean;
  /** The maximum number of items per atomic batch. Readers may see a part of a larger one. @default Unlimited. */
  readonly batchItems?: number;
  /** The maximum size of an item as JSON, in bytes. A larger one is refused with `TOO_LARGE`. @default 16 MiB */
  readonly itemBytes?: number;
  /** Whether the harness can damage what is stored. */
  readonly canDamage?: boolean;
  /** Whether the harness can make the backend fail. */
  readonly canFail?: boolean;
}

export type SessionCase = Case<DurableHarness, SessionCapabilities>;
export type SessionCaseGroup = CaseGroup<DurableHarness, SessionCapabilities>;

/* Conditions of cases. */
export const shared = (capabilities: SessionCapabilities) => capabilities.shared;
export const anyItem = (capabilities: SessionCapabilities) => capabilities.anyItem;
export const anyId = (capabilities: SessionCapabilities) => capabilities.anyId;
export const largeItem = ({ anyItem, itemBytes }: SessionCapabilities) => anyItem && itemBytes === undefined;
export const keepsIdOnClear = (capabilities: SessionCapabilities) => capabilities.keepsIdOnClear;
export const durable = (capabilities: SessionCapabilities) => capabilities.durable !== false;

/** Restricts a case to backends with a `DurableSession`. */
export function whereDurable(one: SessionCase): SessionCase {
  return { ...one, when: (capabilities) => durable(capabilities) && (one.when?.(capabilities) ?? true) };
}

/**
 * Several instances of one new session. If instances share nothing, the same instance several times: concurrent callers
 * of one instance need the same guarantees.
 */
export async function openTogether(
  harness: DurableHarness,
  capabilities: SessionCapabilities,
  count: number,
): Promise<[DurableSession, DurableSession, ...DurableSession[]]> {
  const first = harness.open();
  const sessionId = await first.getSessionId();
  const open = () => (capabilities.shared ? harness.open(sessionId) : first);
  return [open(), open(), ...Array.from({ length: count - 2 }, open)];
}
