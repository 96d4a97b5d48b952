import { describeCases, type Subject } from '../kit.ts';
import { sessionCases } from './cases.ts';
import type { DurableHarness, SessionCapabilities, SessionHarness } from './harness.ts';

/** Tests a session backend against every promise of `DurableSession`, or of `Session` if `durable` is false. */
export function describeSession(subject: Subject<SessionHarness, SessionCapabilities>): void {
  // Cases that need a `DurableSession` are skipped if `durable` is false.
  describeCases('session', sessionCases, subject as Subject<DurableHarness, SessionCapabilities>);
}
