import type { ApiError } from './api.ts';

// GET health

export interface Health {
  /** Each part that the configuration has, tried once. */
  readonly checks: readonly HealthCheck[];
  readonly counts: {
    readonly namespaces: number;
    readonly records: number;
    /** `true` if the root has more records than were counted. */
    readonly more: boolean;
    readonly sessions?: number;
    readonly moreSessions?: boolean;
  };
  /** Turns that a manager has not saved yet. */
  readonly outbox: readonly { readonly namespace: string; readonly recordCount: number }[];
  /** Messages that no memory could be made of. At most 100. */
  readonly deadLetters: readonly DeadLetterRow[];
  /** What `keepsake doctor` finds. Missing where the storage is not files. */
  readonly files?: {
    readonly bytes: number;
    readonly problems: readonly HealthProblem[];
    readonly moreProblems: number;
  };
  readonly checkedAt: string;
}

export interface HealthCheck {
  readonly part: 'memory' | 'sessions' | 'conversations' | 'space' | 'workspace';
  readonly ok: boolean;
  readonly latencyMs: number;
  /** Took more than a second. */
  readonly slow: boolean;
  readonly error?: ApiError['error'];
}

export interface HealthProblem {
  readonly kind: string;
  readonly message: string;
  readonly repairable: boolean;
  /** A session or a namespace. */
  readonly where: string;
}

export interface DeadLetterRow {
  readonly namespace: string;
  readonly storeName: string;
  readonly thread: string;
  readonly at: string;
  readonly failedAt: string;
  readonly error: { readonly code?: string; readonly message: string };
}
