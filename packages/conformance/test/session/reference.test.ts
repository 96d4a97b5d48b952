import { byDay } from '@keepsake/testing/share';
import { describe, it } from 'vitest';
import { describeSession, type SessionCapabilities } from '../../src/index.ts';
import { sessionCases } from '../../src/session/cases.ts';
import {
  NumberedSession,
  PartwiseSession,
  PlainSession,
  ReferenceSession,
  ReidentifiedSession,
  SmallSession,
  UnsharedSession,
} from './reference.ts';
import { everything, harnessOf, type SessionClass } from './reference-harness.ts';

const references: readonly [name: string, SessionClass, SessionCapabilities][] = [
  ['the reference', ReferenceSession, everything],
  [
    'a reference with few capabilities',
    class extends ReidentifiedSession {},
    { shared: true, keepsIdOnClear: false, anyItem: false, anyId: true },
  ],
  [
    'a reference that shares nothing',
    UnsharedSession,
    { ...everything, shared: false, canDamage: false, canFail: false },
  ],
  ['a reference that generates its ids', NumberedSession, { ...everything, anyId: false }],
  ['a reference without transactions', PlainSession, { ...everything, durable: false }],
  ['a reference that writes large batches in parts', PartwiseSession, { ...everything, batchItems: 20 }],
  ['a reference that stores small items', SmallSession, { ...everything, itemBytes: 1024 * 1024 }],
];

/** What is the same for all references. */
const SAME = [
  'JSON values',
  'invalid items',
  'hostile values',
  'sizes',
  'windows',
  'encryption',
  'generated histories',
];
const others = sessionCases.map(({ concern }) => concern).filter((concern) => !SAME.includes(concern));

for (const [name, Session, capabilities] of references) {
  const concerns =
    Session === ReferenceSession ? {} : byDay({ concerns: Session === SmallSession ? ['sizes'] : others });
  describeSession({ name, describe, it, capabilities, ...concerns, harness: () => harnessOf(Session) });
}
