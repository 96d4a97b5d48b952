import type { Namespace } from '@keepsake/core';

/** What stands before the id of whoever a namespace belongs to: of a user, a service, the owner of a team. */
export const MARKS = { user: 'u', service: 's', owner: 'o' } as const;

/** Where a manager keeps its outbox below the store that it is given. */
const OUTBOX = 'keepsake-outbox';

/*
 * Reserved segments stand in a namespace only where this package, or a manager, has put them. A template that says one is
 * refused; a value that is one gets a `%` in front, and so does what that could be taken for. So the first mark of a
 * namespace always tells whose it is, and no choice of names leads anywhere else.
 */
const RESERVED = new RegExp(`^%*(${Object.values(MARKS).join('|')}|${OUTBOX})$`);

export function isReserved(segment: string): boolean {
  return RESERVED.test(segment);
}

/** A segment made of a value: never a reserved one, and no two values give the same. */
export function asSegment(value: string): string {
  return isReserved(value) ? `%${value}` : value;
}

/** Whether a segment parts what lies below it from what lies above: another's, or no memories. */
export function isBorder(segment: string): boolean {
  return segment === OUTBOX || isMark(segment);
}

/** Whether memories, or what a manager is still to make memories of. */
export function isOutbox(namespace: Namespace): boolean {
  return namespace.includes(OUTBOX);
}

export function isMark(segment: string | undefined): boolean {
  return Object.values(MARKS).some((mark) => mark === segment);
}
