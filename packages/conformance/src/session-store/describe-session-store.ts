import { describeCases, type Subject } from '../kit.ts';
import { sessionStoreCases } from './cases.ts';
import type { SessionStoreCapabilities, SessionStoreHarness } from './harness.ts';

/** Tests a backend against every promise of `SessionStore`. */
export function describeSessionStore(subject: Subject<SessionStoreHarness, SessionStoreCapabilities>): void {
  describeCases('session store', sessionStoreCases, subject);
}
