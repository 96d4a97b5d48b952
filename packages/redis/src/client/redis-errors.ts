import { isMemoryError, MemoryError } from '@keepsake/core';
import type { Delivery } from './delivery.ts';

/** By the first word of an error of Redis, what it means and what to do. Scripts reply with `CORRUPT`. */
const ADVICE: Readonly<Record<string, string>> = {
  WRONGTYPE: 'A key of Keepsake holds data of another program. Use a `keyPrefix` that nothing else uses.',
  OOM: 'Redis has reached its maxmemory, so nothing was written. Raise maxmemory, or store less.',
  READONLY: 'This is a replica, which takes no writes. Connect to the master.',
  LOADING: 'Redis is still loading its data. Try again in a moment.',
  BUSY: 'Redis is busy with a script of another client. Try again in a moment.',
  CLUSTERDOWN: 'The cluster currently has no master for these keys. Try again in a moment.',
  TRYAGAIN: 'These keys are moving to another node of the cluster. Try again in a moment.',
  MASTERDOWN: 'This replica has lost its master. Try again in a moment.',
  NOREPLICAS: 'Redis has too few replicas to take writes (min-replicas-to-write), so nothing was written.',
  MISCONF: 'Redis cannot write to its disk, so it takes no writes. See its log.',
  NOAUTH: 'Redis requires a password. Pass it to the client.',
  WRONGPASS: 'Redis rejected the user or the password of the client.',
  CORRUPT:
    'Keys of this namespace are missing, maybe evicted. Set maxmemory-policy to noeviction. clear() starts over.',
  NOPERM: 'The user of the client lacks a permission. docs/redis.md lists those that Keepsake needs.',
};

/**
 * Errors that scripts raise after they have checked that the change was not made before, so that nothing was changed even if
 * the command was sent twice. All others can come from a server that never ran the script of the second one.
 */
const RAISED_BY_SCRIPTS: ReadonlySet<string> = new Set([
  ...['WRONGTYPE', 'OOM', 'READONLY', 'NOREPLICAS', 'MISCONF', 'CORRUPT'],
]);

/** Errors that pass without a change of the call, the data or the configuration. */
const PASSING: ReadonlySet<string> = new Set([
  ...['LOADING', 'BUSY', 'CLUSTERDOWN', 'TRYAGAIN', 'MASTERDOWN', 'NOREPLICAS'],
]);

/** What is known of a command that failed. */
interface FailedCommand {
  /** Whether it was to change anything. */
  readonly wrote: boolean;
  readonly delivery: Delivery;
  /** Whether the client will not connect again. */
  readonly hasEnded: boolean;
}

/**
 * Turns an error of the client into a `MemoryError` that says what to do. If it is `BACKEND`, nothing was changed. It is
 * `retryable` if the same call may succeed later.
 */
export function asMemoryError(error: unknown, command: FailedCommand): MemoryError {
  if (isMemoryError(error)) return error;
  hideArguments(error);
  const reply = replyWord(error);
  return reply === undefined ? unanswered(error, command) : rejected(error, reply, command);
}

function rejected(cause: unknown, reply: string, { wrote, delivery }: FailedCommand): MemoryError {
  const advice = ADVICE[reply] ?? 'Redis rejected this command. See the cause.';
  if (wrote && delivery === 'resent' && !RAISED_BY_SCRIPTS.has(reply)) {
    return new MemoryError(
      'OUTCOME_UNKNOWN',
      `The connection to Redis broke before it answered, so the change may have happened. The second attempt met ${reply}: ${advice}`,
      { cause },
    );
  }
  if (reply === 'CORRUPT') return new MemoryError('CORRUPT', advice, { cause });
  const isPassing = PASSING.has(reply);
  return new MemoryError('BACKEND', `${advice} (${reply})`, { cause, ...(isPassing && { retryable: true }) });
}

function unanswered(cause: unknown, { wrote, delivery, hasEnded }: FailedCommand): MemoryError {
  if (wrote && delivery !== 'unsent') {
    return new MemoryError(
      'OUTCOME_UNKNOWN',
      'The connection to Redis broke before it answered, so the change may have happened. Read, or retry with the same id.',
      { cause },
    );
  }
  if (hasEnded) {
    return new MemoryError('BACKEND', 'The client of Redis is closed, so nothing was changed. Pass one that is open.', {
      cause,
    });
  }
  const message = `Redis could not be reached (${causeName(cause)}), so nothing was changed. Try again in a moment.`;
  return new MemoryError('BACKEND', message, { cause, retryable: true });
}

/** The name of an error without its message, which could contain anything. */
function causeName(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'unknown error');
}

/** The first word of the error that Redis replied with; `undefined` if it did not reply. */
function replyWord(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return /^[A-Z]+/.exec(error.message)?.[0] ?? '';
}

/** ioredis attaches the command with all its arguments to its errors, from where content would get into logs. */
function hideArguments(error: unknown): void {
  const command = (error as { command?: { name?: unknown } } | undefined)?.command;
  if (command) Object.assign(error as object, { command: { name: command.name } });
}
