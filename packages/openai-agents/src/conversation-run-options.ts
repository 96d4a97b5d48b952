import type { FieldNames } from '@keepsake/core/adapter';
import type { ConversationNames, SavedRun } from '@keepsake/internal';
import type { IndividualRunOptions } from '@openai/agents';
import type { Decisions, PendingApproval } from './approvals.ts';

/** The options of the SDK that select a history. */
type Sessions = Pick<
  IndividualRunOptions<unknown>,
  'session' | 'sessionInputCallback' | 'conversationId' | 'previousResponseId'
>;

/** The options of a run: the SDK's, and those of `ConversationMemory.for`. The memory takes the place of a session. */
export type ConversationRunOptions<Options> = Omit<Options, keyof Sessions> & ConversationNames;

/** The run to resume, and what was decided. */
export interface ResumeOptions {
  /** @default the newest paused run of the session, or else its newest run, if it can be resumed */
  readonly runId?: string | undefined;
  readonly decisions?: Decisions | undefined;
}

/** The result of a run, as the SDK returns it, and where it is kept. */
export type Kept<Result> = Result & {
  readonly runId: string;
  /** The result of saving the run: after a stream has ended, or at once. */
  readonly saved: Promise<SavedRun>;
};

/** A run that waits for approvals. */
export interface WaitingRun {
  readonly runId: string;
  readonly approvals: readonly PendingApproval[];
}

type AnyOptions = ConversationRunOptions<IndividualRunOptions<unknown>> & ResumeOptions;

/** The fields of the options of `run`, with those of the OpenAI Agents SDK 0.20. */
export const RUN_OPTIONS: FieldNames<Omit<AnyOptions, keyof ResumeOptions>> = {
  sessionId: true,
  userId: true,
  agentId: true,
  stream: true,
  context: true,
  maxTurns: true,
  signal: true,
  callModelInputFilter: true,
  toolErrorFormatter: true,
  outputGuardrailBlockedMessage: true,
  reasoningItemIdPolicy: true,
  tracing: true,
  sandbox: true,
  toolExecution: true,
  toolNotFoundBehavior: true,
  toolNameCollisionPolicy: true,
  errorHandlers: true,
};

export const RESUME_OPTIONS: FieldNames<AnyOptions> = { ...RUN_OPTIONS, runId: true, decisions: true };
