import type { DurableSession } from '@keepsake/core';
import { type Closable, describeCases, type Subject } from '../kit.ts';
import { sessionCases } from './cases.ts';

/** A place where sessions can be opened. */
export interface SessionHarness extends Closable {
  /**
   * A new instance of the session of that id; one of a fresh id where none is given. Two instances of one id work on
   * the same data, as two processes would where the backend is shared.
   */
  open(sessionId?: string): DurableSession;
}

/** What a session backend promises beyond the contract that all keep. */
export interface SessionCapabilities {
  /** Whether items outlive the instance: a second instance of the same id sees them. */
  readonly shared: boolean;
  /** Whether the id stays the same after `clearSession()`. */
  readonly keepsIdOnClear: boolean;
  /** Whether any JSON object can be an item; otherwise only items that the backend's API knows. */
  readonly anyItem: boolean;
}

/** Tests a session backend against every promise of `DurableSession`. */
export function describeSession(subject: Subject<SessionHarness, SessionCapabilities>): void {
  describeCases('session', sessionCases, subject);
}
