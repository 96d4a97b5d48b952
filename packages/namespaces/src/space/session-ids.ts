import { formatNamespace, type Namespace, parseNamespace } from '@keepsake/core';
import { checkText, ownSegments, type Principal, taggedPrincipal } from './principal.ts';

/** The owner of a conversation: the agent with its owner, and the principal if there is authentication. */
export interface Actor {
  readonly agent: string;
  readonly owner?: string | undefined;
  readonly principal?: Principal | undefined;
}

/** The unique id of an actor: `research-assistant:u:alice`, or `research-assistant` without authentication. */
export function actorId(actor: Actor): string {
  return formatNamespace(actorSegments(actor));
}

/** The id of a session in the session store: the actor and the actor's own id for it. */
export function storedSessionId(actor: Actor, sessionId: string): string {
  checkText(sessionId, 'sessionId');
  return formatNamespace([...actorSegments(actor), sessionId]);
}

/** What the stored ids of an actor's sessions begin with, if the actor's own ids begin with `idPrefix`. */
export function storedPrefix(actor: Actor, idPrefix?: string): string {
  // Each character is encoded for itself, so the encoded prefix is a prefix of the encoded id.
  const own = idPrefix === undefined ? '' : formatNamespace([idPrefix]);
  return `${actorId(actor)}:${own}`;
}

/** The actor's own id for a stored session; `undefined` if it belongs to another actor. */
export function ownSessionId(actor: Actor, stored: string): string | undefined {
  const segments = readSegments(stored);
  const own = segments?.at(-1);
  return own !== undefined && storedSessionId(actor, own) === stored ? own : undefined;
}

/** The principal that a stored session belongs to; `undefined` if it belongs to nobody or is not a session of a space. */
export function sessionPrincipal(stored: string): Required<Principal> | undefined {
  const segments = readSegments(stored) ?? [];
  const isOwned = segments.length === 4 || segments.length === 5;
  return isOwned ? taggedPrincipal(segments.at(-3), segments.at(-2)) : undefined;
}

/*
 * A session id has 2 to 5 segments. Each length has one meaning, so no owner, agent, tag or id can be mistaken for another.
 */
function actorSegments({ owner, agent, principal }: Actor): Namespace {
  return [...(owner === undefined ? [] : [owner]), agent, ...(principal === undefined ? [] : ownSegments(principal))];
}

/** The segments of a stored session id; `undefined` if it is not written like a namespace. */
export function readSegments(stored: string): Namespace | undefined {
  try {
    return parseNamespace(stored);
  } catch {
    return undefined;
  }
}
