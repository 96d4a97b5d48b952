import { isMemoryError, MemoryError } from '@keepsake/core';

/** By the first word of an error of Redis, what it means and what to do. Scripts reply with `CORRUPT` and `FULL`. */
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
  FULL: 'This namespace has had 4 billion records and has no number for another, so nothing was written. Use a new one.',
  NOPERM: 'The user of the client lacks a permission. docs/redis.md lists those that Keepsake needs.',
};

/**
 * Errors after which a change may have been made: a client sends an unanswered command again, and may then meet a Redis that
 * restarts. A Redis that runs scripts and refuses writes (READONLY, OOM, …) has checked that it never made this change.
 */
const MAYBE_DONE: ReadonlySet<string> = new Set(['LOADING', 'MASTERDOWN', 'CLUSTERDOWN']);

/**
 * Turns an error of the client into a `MemoryError` that says what to do. If Redis replied with an error, nothing was changed.
 * If it did not reply, a write may have happened.
 */
export function asMemoryError(error: unknown, wrote: boolean): MemoryError {
  if (isMemoryError(error)) return error;
  hideArguments(error);
  const reply = replyWord(error);
  if (reply !== undefined) {
    const code = reply === 'CORRUPT' ? reply : wrote && MAYBE_DONE.has(reply) ? 'OUTCOME_UNKNOWN' : 'BACKEND';
    return new MemoryError(code, ADVICE[reply] ?? 'Redis rejected this command. See the cause.', { cause: error });
  }
  if (wrote) {
    return new MemoryError(
      'OUTCOME_UNKNOWN',
      'The connection to Redis broke before it answered, so the change may have happened. Read, or retry with the same id.',
      { cause: error },
    );
  }
  return new MemoryError('BACKEND', 'Redis could not be reached, so nothing was changed. See the cause.', {
    cause: error,
  });
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
