import type { ShownText } from './answers.ts';

// GET sessions?prefix=&user=&type=&cursor=&limit= answers PageOf<SessionRow>. With a user, those of that user or service: a
// page can have fewer or more than `limit` then.

export interface SessionRow {
  readonly sessionId: string;
  readonly itemCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

// GET session?id=&skip=&limit=

/** The newest items, oldest first, without the `skip` newest. */
export interface SessionTimeline {
  readonly sessionId: string;
  readonly items: readonly TimelineItem[];
  /** Pass it to get the items before; missing at the beginning, and where they are cut off. */
  readonly nextSkip?: number;
  /** `true` if there are older items, which the panel does not show. */
  readonly cutOff?: boolean;
}

export interface TimelineItem {
  /** Its position: in a session, from the end (0 is the newest); in a run, from the beginning. */
  readonly position: number;
  readonly kind: 'message' | 'toolCall' | 'toolResult' | 'reasoning' | 'other';
  readonly role?: string;
  /** For `toolCall` its arguments, for `toolResult` its output, for `other` its JSON. */
  readonly content: ShownText;
  readonly toolName?: string;
  /** Pairs a call with its result. */
  readonly callId?: string;
  /** A message of some frameworks has its calls inside. */
  readonly calls?: readonly TimelineItem[];
}

// GET session/item?id=&position=&offset= and run/item?kind=&sessionId=&runId=&position=&offset= answer TextPiece of the JSON.
