import type { PageOptions } from '@keepsake/core';
import { type FieldNames, PAGE_OPTIONS } from '@keepsake/core/adapter';
import type { ConversationKind } from './runs/kind.ts';

/** Which sessions to list. */
export interface ListSessionsOptions extends PageOptions {
  /** By default the user who asks; `null` for everyone's. */
  readonly userId?: string | null | undefined;
  readonly kind?: ConversationKind | undefined;
}

export const LIST_SESSIONS: FieldNames<ListSessionsOptions> = { ...PAGE_OPTIONS, userId: true, kind: true };
