import type { ShownText } from './answers.ts';
import type { TimelineItem } from './sessions.ts';

export type ConversationKind = 'agent' | 'team' | 'workflow';

export type RunStatus = 'running' | 'completed' | 'paused' | 'error' | 'cancelled';

export interface RunRow {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly runId: string;
  readonly seq: number;
  readonly status: RunStatus;
  readonly userId?: string;
  readonly agentId?: string;
  readonly parentRunId?: string;
  readonly pauseReason?: string;
  /** As JSON. */
  readonly error?: ShownText;
  readonly usage?: { readonly [field: string]: unknown };
  readonly createdAt: string;
  readonly updatedAt: string;
}

// GET runs?status=&user=&cursor=&limit= answers PageOf<RunRow>: unfinished runs of all sessions.

// GET run?kind=&sessionId=&runId=

export interface RunDetail extends RunRow {
  readonly items: readonly TimelineItem[];
  /** Items beyond the first 500 are left out. */
  readonly moreItems: number;
  readonly output?: ShownText;
  /** What another process gets when it resumes the run. */
  readonly resume: {
    readonly resumable: boolean;
    /** As JSON. */
    readonly checkpoint?: ShownText;
  };
}
