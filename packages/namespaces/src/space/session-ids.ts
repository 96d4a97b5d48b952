import { formatNamespace, type Namespace, parseNamespace } from '@keepsake/core';
import { checkText, ownSegments, type Principal } from './principal.ts';
import { isMark, MARKS } from './reserved.ts';

/** Whose a conversation is: the agent, with its owner in front, and the principal where there is auth. */
export interface Actor {
  readonly agent: string;
  readonly owner?: string | undefined;
  readonly principal?: Principal | undefined;
}

/** The actor as a text: `research-assistant:u:alice`, without auth `research-assistant`. No two have the same. */
export function actorId(actor: Actor): string {
  return formatNamespace(actorSegments(actor));
}

/** The id of a session in the session store: of the actor, and the id that they call it by. */
export function storedSessionId(actor: Actor, sessionId: string): string {
  checkText(sessionId, 'sessionId');
  return formatNamespace([...actorSegments(actor), sessionId]);
}

/** What an actor calls a stored session; `undefined` where it is another's. */
export function ownSessionId(actor: Actor, stored: string): string | undefined {
  const segments = readSegments(stored);
  const own = segments?.at(-1);
  return own !== undefined && storedSessionId(actor, own) === stored ? own : undefined;
}

/** The principal that a stored session belongs to; `undefined` where it is nobody's, or no session of a space. */
export function sessionPrincipal(stored: string): Required<Principal> | undefined {
  const segments = readSegments(stored) ?? [];
  const [mark, id] = segments.slice(-3, -1);
  const isOwned = (segments.length === 4 || segments.length === 5) && isMark(mark) && mark !== MARKS.owner;
  return isOwned && id !== undefined ? { id, type: mark === MARKS.service ? 'service' : 'user' } : undefined;
}

/* Of 2 to 5 segments: each length has one meaning, so no owner, agent, mark or id is taken for another. */
function actorSegments({ owner, agent, principal }: Actor): Namespace {
  return [...(owner === undefined ? [] : [owner]), agent, ...(principal === undefined ? [] : ownSegments(principal))];
}

function readSegments(stored: string): Namespace | undefined {
  try {
    return parseNamespace(stored);
  } catch {
    return undefined;
  }
}
