import type { PageOf, ShownText } from './answers.ts';
import type { ConversationKind, RunRow } from './runs.ts';

// GET conversations?user=&kind=&cursor=&limit=

export interface ConversationRow {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly userId?: string;
  readonly agentId?: string;
  readonly summary?: ShownText;
  readonly createdAt: string;
  readonly updatedAt: string;
}

// GET conversation?kind=&sessionId=&cursor=&limit=

export interface ConversationDetail extends ConversationRow {
  readonly metadata: { readonly [field: string]: unknown };
  readonly summaryThroughSeq?: number;
  /** What is known of its user. */
  readonly profile?: { readonly scope: 'user' | 'session'; readonly data: { readonly [field: string]: unknown } };
  /** Newest first. */
  readonly runs: PageOf<RunRow>;
}
