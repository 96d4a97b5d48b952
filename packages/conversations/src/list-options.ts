import type { PageOptions } from '@keepsake/core';
import { type FieldNames, PAGE_OPTIONS } from '@keepsake/core/adapter';
import type { ConversationKind } from './runs/kind.ts';
import type { RunStatus } from './runs/run.ts';

/** Whose sessions or runs to list. */
interface OfUsers extends PageOptions {
  /** @default The user who asks. */
  readonly userId?: string | undefined;
  /**
   * Those of everyone, for operators. Not with `userId`.
   *
   * @default false
   */
  readonly allUsers?: boolean | undefined;
  readonly kind?: ConversationKind | undefined;
}

/** Which sessions to list. */
export interface ListSessionsOptions extends OfUsers {}

/** Which runs of a session to list. */
export interface ListRunsOptions extends PageOptions {
  /** @default Any. */
  readonly status?: RunStatus | undefined;
  /** @default This session. */
  readonly sessionId?: string | undefined;
}

/** Which unfinished runs to list. */
export interface ListUnfinishedRunsOptions extends OfUsers {
  /** Any but `completed`. @default All of these. */
  readonly status?: RunStatus | undefined;
  /** @default All sessions. */
  readonly sessionId?: string | undefined;
}

export const LIST_SESSIONS: FieldNames<ListSessionsOptions> = {
  ...PAGE_OPTIONS,
  userId: true,
  allUsers: true,
  kind: true,
};

export const LIST_RUNS_OF_SESSION: FieldNames<ListRunsOptions> = { ...PAGE_OPTIONS, status: true, sessionId: true };

export const LIST_UNFINISHED_RUNS: FieldNames<ListUnfinishedRunsOptions> = {
  ...LIST_SESSIONS,
  ...LIST_RUNS_OF_SESSION,
};
