import { isMemoryError, MemoryError } from '@keepsake/core';

/** What the first word of an error of Redis means, and what to do. */
const ADVICE: Readonly<Record<string, string>> = {
  WRONGTYPE: 'A key of Keepsake holds something else. Use a keyPrefix that nothing else uses.',
  OOM: 'Redis has reached its maxmemory: nothing was written. Give it more, or keep less.',
  READONLY: 'This is a replica, which takes no writes. Connect to the master.',
  LOADING: 'Redis is still loading its data. Try again in a moment.',
  BUSY: 'Redis is busy with a script of somebody else. Try again in a moment.',
  CLUSTERDOWN: 'The cluster has no master for these keys at present. Try again in a moment.',
  TRYAGAIN: 'The keys are being moved to another node of the cluster. Try again in a moment.',
  MASTERDOWN: 'This replica has lost its master. Try again in a moment.',
  NOREPLICAS: 'Redis has too few replicas to take writes (min-replicas-to-write): nothing was written.',
  MISCONF: 'Redis can write nothing to its disk, and so takes no writes. See its log.',
  NOAUTH: 'Redis wants a password. Give it to the client.',
  WRONGPASS: 'Redis refuses the user or the password of the client.',
  CORRUPT: 'Keys of this namespace are gone, maybe evicted. Set maxmemory-policy to noeviction; clear() begins anew.',
  FULL: 'This namespace has had 4 billion records, and has no number for another: nothing was written. Use a new one.',
  NOPERM: 'The user of the client may not do that. docs/redis.md says what it needs.',
};

/**
 * Answers to what may have been done: a client sends again what had no answer, and meets a Redis that restarts. One that
 * runs scripts and refuses to write (READONLY, OOM, …) has looked at its marks, and never did this.
 */
const LATE: ReadonlySet<string> = new Set(['LOADING', 'MASTERDOWN', 'CLUSTERDOWN']);

/**
 * An error of the client as a `MemoryError` that says what to do. What Redis itself answers changed nothing; where no
 * answer came, a write may have happened.
 */
export function asMemoryError(error: unknown, wrote: boolean): MemoryError {
  if (isMemoryError(error)) return error;
  hideArguments(error);
  const reply = replyWord(error);
  if (reply !== undefined) {
    const code = reply === 'CORRUPT' ? reply : wrote && LATE.has(reply) ? 'OUTCOME_UNKNOWN' : 'BACKEND';
    return new MemoryError(code, ADVICE[reply] ?? 'Redis refused this, see the cause.', { cause: error });
  }
  if (wrote) {
    return new MemoryError(
      'OUTCOME_UNKNOWN',
      'The link to Redis broke before it answered: the change may have happened. Read, or retry with the same id.',
      { cause: error },
    );
  }
  return new MemoryError('BACKEND', 'Redis could not be reached, see the cause. Nothing was changed.', {
    cause: error,
  });
}

/** The first word of what Redis answered; `undefined` where it did not answer. */
function replyWord(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return /^[A-Z]+/.exec(error.message)?.[0] ?? '';
}

/** ioredis hangs the command with all its arguments on its errors, from where content would get into logs. */
function hideArguments(error: unknown): void {
  const command = (error as { command?: { name?: unknown } } | undefined)?.command;
  if (command) Object.assign(error as object, { command: { name: command.name } });
}
