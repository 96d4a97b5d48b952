import { describeCases, type Subject } from '../kit.ts';
import { sessionCases } from './cases.ts';
import type { SessionCapabilities, SessionHarness } from './harness.ts';

/** Tests a session backend against every promise of `DurableSession`. */
export function describeSession(subject: Subject<SessionHarness, SessionCapabilities>): void {
  describeCases('session', sessionCases, subject);
}
