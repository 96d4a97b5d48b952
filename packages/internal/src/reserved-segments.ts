/** The segments before the id of an owner: of a user, a service, or the owner of a team. */
export const SEGMENT_TAGS = { user: 'u', service: 's', owner: 'o' } as const;

/** The segment of a manager's outbox below its store. */
const OUTBOX = 'keepsake-outbox';

/*
 * Only Keepsake puts reserved segments into a namespace. A template with one is refused. A value that is one, such as the id
 * of a tenant, is escaped with a leading `%`, and so are values that look escaped. So the first tag of a namespace always
 * precedes its owner, and no choice of names leads into another namespace.
 */
const RESERVED = /* @__PURE__ */ reserved();

function reserved(): RegExp {
  return new RegExp(`^%*(?:${[...Object.values(SEGMENT_TAGS), OUTBOX].join('|')})$`);
}

export function isReserved(segment: string): boolean {
  return RESERVED.test(segment);
}

/** Converts a value to a segment: never a reserved one, and different values give different segments. */
export function asSegment(value: string): string {
  return isReserved(value) ? `%${value}` : value;
}

/** The value of a segment of {@link asSegment}. */
export function fromSegment(segment: string): string {
  return isReserved(segment) ? segment.slice(1) : segment;
}

/** Whether what is below this segment belongs to another principal or is not memory. */
export function isBorder(segment: string): boolean {
  return segment === OUTBOX || Object.values<string>(SEGMENT_TAGS).includes(segment);
}

/** Whether a namespace belongs to an outbox. */
export function isOutbox(namespace: readonly string[]): boolean {
  return namespace.includes(OUTBOX);
}
