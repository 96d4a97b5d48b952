import { checkNamespace, formatNamespace, type Namespace } from '@keepsake/core';
import { expect } from '../guards/expect.ts';
import { isMark, MARKS } from './reserved.ts';

/** Who asks: a user, or a service that works by itself. A user and a service of the same id are two. */
export interface Principal {
  /** 1 to 256 characters, no NUL, no lone surrogates. Compared as it is: `alice` and `Alice` are two. */
  readonly id: string;
  /** By default `user`. */
  readonly type?: 'user' | 'service';
}

/** Somebody that is let in: the id of a user, a principal, or `*` for everyone. */
export type Grantee = string | Principal;

/** A copy of a principal with its type; `INVALID_ARGUMENT` for what is none. */
export function checkPrincipal(principal: Principal, what = 'principal'): Required<Principal> {
  const { id, type = 'user' } = principal ?? {};
  expect(type === 'user' || type === 'service', `${what}.type is to be 'user' or 'service'.`);
  checkText(id, `${what}.id`);
  return Object.freeze({ id, type });
}

/** `INVALID_ARGUMENT` for what can't be a segment of a namespace. */
export function checkText(text: unknown, what: string): asserts text is string {
  expect(typeof text === 'string' && text !== '', `${what} is to be a text that is not empty.`);
  try {
    checkNamespace([text]);
  } catch {
    expect(false, `${what} is to have up to 256 characters, no NUL and no lone surrogates.`);
  }
}

/** What a namespace ends in that is a principal's own. */
export function ownSegments({ id, type = 'user' }: Principal): Namespace {
  return [MARKS[type], id];
}

/** A principal as a text, such as `u:alice`; no two have the same. */
export function principalName(principal: Principal): string {
  return formatNamespace(ownSegments(principal));
}

/** Whose a namespace is; `undefined` for one that nobody has for themselves. */
export function principalOf(namespace: Namespace): Required<Principal> | undefined {
  const place = namespace.findIndex(isMark);
  const [mark, id] = namespace.slice(place, place + 2);
  if (place === -1 || id === undefined || mark === MARKS.owner) return undefined;
  return { id, type: mark === MARKS.service ? 'service' : 'user' };
}

/** Whether a list of grantees lets a principal in. */
export function lets(grantees: readonly Grantee[], principal: Principal): boolean {
  return grantees.some(
    (one) => one === '*' || principalName(typeof one === 'string' ? { id: one } : one) === principalName(principal),
  );
}

/** `INVALID_ARGUMENT` for what is no list of grantees. */
export function checkGrantees(grantees: readonly Grantee[], what: string): readonly Grantee[] {
  expect(Array.isArray(grantees), `${what} is to be an array of ids of users, principals, or '*'.`);
  return (grantees as readonly Grantee[]).map((one, index) => {
    if (typeof one !== 'string') return checkPrincipal(one, `${what}[${index}]`);
    checkText(one, `${what}[${index}]`);
    return one;
  });
}
