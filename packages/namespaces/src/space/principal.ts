import { formatNamespace, type Namespace } from '@keepsake/core';
import { checkNamespace, expect, expectKnownFields, type FieldNames, readList } from '@keepsake/core/adapter';
import { isObject, SEGMENT_TAGS } from '@keepsake/internal';

/** A user, or a service that works on its own behalf. A user and a service with the same id are different principals. */
export interface Principal {
  /** 1 to 256 characters, no NUL, no lone surrogates. Compared exactly: `alice` and `Alice` differ. */
  readonly id: string;
  /** @default 'user' */
  readonly type?: 'user' | 'service';
}

/** A user, service or everyone with access: the id of a user, a principal, or `*` for everyone. */
export type Grantee = string | Principal;

const PRINCIPAL: FieldNames<Principal> = { id: true, type: true };

/** A validated copy of a principal with its type. Throws `INVALID_ARGUMENT` if it is invalid. */
export function checkPrincipal(principal: Principal, what = 'principal'): Required<Principal> {
  const fields: Partial<Principal> = isObject(principal) ? expectKnownFields(principal, PRINCIPAL, what) : {};
  const { id, type = 'user' } = fields;
  expect(type === 'user' || type === 'service', `${what}.type must be 'user' or 'service'.`);
  checkText(id, `${what}.id`);
  return Object.freeze({ id, type });
}

/** A text is the id of a user. */
export function asPrincipal(one: Grantee): Principal {
  return typeof one === 'string' ? { id: one } : one;
}

/** Throws `INVALID_ARGUMENT` unless `text` is a valid namespace segment. */
export function checkText(text: unknown, what: string): asserts text is string {
  expect(typeof text === 'string' && text !== '', `${what} must be a non-empty string.`);
  try {
    checkNamespace([text]);
  } catch {
    expect(false, `${what} must have at most 256 characters, no NUL and no lone surrogates.`);
  }
}

/** The last segments of a namespace that belongs to a principal. */
export function ownSegments({ id, type = 'user' }: Principal): Namespace {
  return [SEGMENT_TAGS[type], id];
}

/** The unique name of a principal, such as `u:alice`. */
export function principalName(principal: Principal): string {
  return formatNamespace(ownSegments(principal));
}

/** The segments below which everything belongs to a principal. */
export const PRINCIPAL_TAGS: readonly string[] = [SEGMENT_TAGS.user, SEGMENT_TAGS.service];

/** The principal that a namespace belongs to; `undefined` if it is shared. */
export function principalOf(namespace: Namespace): Required<Principal> | undefined {
  const start = namespace.findIndex((segment) => PRINCIPAL_TAGS.includes(segment));
  return taggedPrincipal(namespace[start], namespace[start + 1]);
}

/** The principal that two segments in a row name, as {@link ownSegments} makes them; `undefined` if they name none. */
export function taggedPrincipal(tag: string | undefined, id: string | undefined): Required<Principal> | undefined {
  if (tag === undefined || id === undefined || !PRINCIPAL_TAGS.includes(tag)) return undefined;
  return { id, type: tag === SEGMENT_TAGS.service ? 'service' : 'user' };
}

/** Whether a list of grantees includes a principal. */
export function isGranted(grantees: readonly Grantee[], principal: Principal): boolean {
  return grantees.some((one) => one === '*' || principalName(asPrincipal(one)) === principalName(principal));
}

/** Throws `INVALID_ARGUMENT` unless `grantees` is a list of grantees. */
export function checkGrantees(grantees: readonly Grantee[], what: string): readonly Grantee[] {
  return readList(grantees, what, `${what} must be an array of user ids, principals or '*'.`).map((one, index) => {
    if (typeof one !== 'string') return checkPrincipal(one, `${what}[${index}]`);
    checkText(one, `${what}[${index}]`);
    return one;
  });
}
