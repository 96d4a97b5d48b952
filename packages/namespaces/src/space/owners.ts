import { type Namespace, parseNamespace, type SessionListOptions } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { quoted } from '@keepsake/internal';
import { type Principal, principalName, principalOf } from './principal.ts';
import { type Actor, ownSessionId, readSegments, sessionPrincipal } from './session-ids.ts';

/** What stands for the id of the user in a pattern. */
const USER = '{user_id}';

/** What a space knows of the owners of its data. */
interface Declared {
  /** Whether a namespace is that of a pool or a team, which belongs to no user, whatever it is called. */
  readonly isShared: (namespace: Namespace) => boolean;
  /** The actors of the agents without a principal, whose sessions belong to the anonymous user, whatever they are called. */
  readonly actors: readonly Actor[];
  readonly anonymous: Principal | undefined;
}

/** Which namespaces and sessions belong to whom: the one rule of erasure and export. */
export class Owners {
  readonly #patterns: readonly Namespace[];
  readonly #declared: Declared;

  /**
   * @param patterns - Namespaces of users outside the layout of the space. `*` stands for a segment, `**` at the beginning for
   *   any number of them.
   * @throws MemoryError `INVALID_ARGUMENT` for a pattern without `{user_id}`, or with anything else that is unknown.
   */
  constructor(patterns: readonly string[] = [], declared: Declared) {
    expect(Array.isArray(patterns), "userNamespaces must be an array of patterns such as 'people:{user_id}'.");
    this.#patterns = patterns.map(parsePattern);
    this.#declared = declared;
  }

  /** Whom a namespace belongs to, with everything below it; `undefined` if it is shared. */
  of(namespace: Namespace): Principal | undefined {
    const owner = principalOf(namespace);
    if (owner !== undefined || this.#declared.isShared(namespace)) return owner;
    return this.#matching(namespace);
  }

  belongsTo(namespace: Namespace, principal: Principal): boolean {
    return isSame(this.of(namespace), principal);
  }

  /** A segment that every namespace of a principal has: in each rule, the id is one. Others have it, too. */
  segmentOf({ id }: Principal): string {
    return id;
  }

  /** Which sessions to list to find those of a principal. Others are among them. */
  sessionsOf(principal: Principal): Pick<SessionListOptions, 'segment'> {
    const { anonymous } = this.#declared;
    // Conversations without authentication have no principal in their ids.
    return isSame(anonymous, principal) ? {} : { segment: principal.id };
  }

  isSessionOf(sessionId: string, principal: Principal): boolean {
    return isSame(this.ofSession(sessionId), principal);
  }

  /** Whom a stored session belongs to. Ids that a space did not make are read as namespaces. */
  ofSession(sessionId: string): Principal | undefined {
    const owner = sessionPrincipal(sessionId);
    if (owner !== undefined) return owner;
    const { actors, anonymous } = this.#declared;
    const isWithoutAuth = actors.some((actor) => ownSessionId(actor, sessionId) !== undefined);
    if (isWithoutAuth) return anonymous;
    const segments = readSegments(sessionId) ?? [];
    return principalOf(segments) ?? this.#matching(segments);
  }

  #matching(namespace: Namespace): Principal | undefined {
    for (const pattern of this.#patterns) {
      const id = userIn(namespace, pattern);
      if (id !== undefined) return { id };
    }
    return undefined;
  }
}

function isSame(owner: Principal | undefined, principal: Principal): boolean {
  return owner !== undefined && principalName(owner) === principalName(principal);
}

function parsePattern(text: string): Namespace {
  const isText = typeof text === 'string' && text !== '';
  expect(isText, "Each pattern of userNamespaces must be a text such as 'people:{user_id}'.");
  const what = `The pattern ${quoted(text)} of userNamespaces`;
  const segments = parseNamespace(text);
  expect(segments.filter((segment) => segment === USER).length === 1, `${what} must have {user_id} as one segment.`);
  const isKnown = segments.every((segment, index) =>
    segment === '**' ? index === 0 : segment === USER || !/[{}]/.test(segment),
  );
  expect(isKnown, `${what} can have ** at its beginning, and no other placeholder than {user_id}.`);
  return segments;
}

/** The user of the pattern that a namespace, or one above it, matches. */
function userIn(namespace: Namespace, pattern: Namespace): string | undefined {
  const isAnywhere = pattern[0] === '**';
  const segments = isAnywhere ? pattern.slice(1) : pattern;
  const last = isAnywhere ? namespace.length - segments.length : 0;
  for (let start = 0; start <= last; start++) {
    const part = namespace.slice(start, start + segments.length);
    const matches = segments.every((segment, index) =>
      segment === '*' || segment === USER ? part[index] !== undefined : part[index] === segment,
    );
    if (matches) return part[segments.indexOf(USER)];
  }
  return undefined;
}
