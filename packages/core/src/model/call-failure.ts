import { causesOf, httpStatusOf } from '@keepsake/internal';
import { isMemoryError, type MemoryErrorCode } from '../common/errors.ts';

const PASSING: readonly MemoryErrorCode[] = ['TIMEOUT', 'ABORTED', 'CONFLICT', 'OUTCOME_UNKNOWN', 'CLOSED'];
/** Statuses below 500 that tell of a wrong key, a missing model, no credit or too many requests, never of a message. */
const OF_CALLER = [401, 402, 403, 404, 407, 408, 409, 410, 425, 429];
/** Codes of Node and of HTTP clients for connections that failed. */
const LINK = /^(E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|ENOTFOUND|UND_ERR_|ERR_NETWORK)/;

/** What the error of a model call says about its request. */
export type CallFailure = 'passing' | 'refusal' | 'server' | 'unclear';

/** How often a message fails alone before it counts as the cause. Any request may get a status of 500 now and then. */
export const MAX_TRIES: Readonly<Record<CallFailure, number>> = {
  passing: Infinity,
  refusal: 3,
  unclear: 3,
  server: 10,
};

/**
 * What the error of a model call says about its request: `passing` if it says nothing about it, as after a timeout, a
 * connection failure or with a wrong key; `refusal` if the same request will fail again; `server` for a status of 500, which a
 * request may cause; `unclear` if it may be anything. Reads the fields of errors, because models throw errors of any class.
 */
export function callFailure(error: unknown): CallFailure {
  const status = httpStatusOf(error);
  const refuses = status !== undefined && status >= 400 && status < 500 && !OF_CALLER.includes(status);
  const isOfService = status !== undefined && status !== 500 && !refuses;
  const causes = causesOf(error);
  if (isOfService || causes.some(isPassing)) return 'passing';
  // A request can cause it, though the bridges of SDKs call it retryable, as those do.
  if (status === 500) return 'server';
  if (causes.some((cause) => isMemoryError(cause) && cause.retryable === true)) return 'passing';
  return refuses || (isMemoryError(error) && error.retryable === false) ? 'refusal' : 'unclear';
}

/** Whether the request got no answer: a connection failed, time ran out, or a store was closed or overtaken. */
function isPassing(error: Record<string, unknown>): boolean {
  if (isMemoryError(error)) return PASSING.includes(error.code);
  return typeof error.code === 'string' && LINK.test(error.code);
}
