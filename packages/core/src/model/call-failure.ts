import { isObject } from '@keepsake/internal';
import { isMemoryError, type MemoryErrorCode } from '../common/errors.ts';

const PASSING: readonly MemoryErrorCode[] = ['TIMEOUT', 'ABORTED', 'CONFLICT', 'OUTCOME_UNKNOWN', 'CLOSED'];
/** Statuses of a request that the model's service does not accept as it is. */
const REFUSING = [400, 413, 422];
/** Codes of Node and of its HTTP client for connections that failed. */
const LINK = /^(E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|ENOTFOUND|UND_ERR_)/;

/**
 * What the error of a model call says about its request: `passing` if it says nothing about it, as after a timeout, a
 * connection failure or with a wrong key; `refusal` if the same request will fail again; `unclear` if it may be either.
 */
export function callFailure(error: unknown): 'passing' | 'refusal' | 'unclear' {
  const causes = causesOf(error);
  const status = causes.map(statusOf).find((one) => one !== undefined);
  const refuses = status !== undefined && REFUSING.includes(status);
  // Other statuses below 500 tell of a wrong key, a missing model or too many requests, never of a message.
  const isOfClient = status !== undefined && status < 500 && !refuses;
  if (isOfClient || causes.some(mayPass)) return 'passing';
  const isFinal = isMemoryError(error) && error.retryable === false && status === undefined;
  return refuses || isFinal ? 'refusal' : 'unclear';
}

/** An error and its causes. Errors of providers name the status and the code in one of them. */
function causesOf(error: unknown): Record<string, unknown>[] {
  const causes: Record<string, unknown>[] = [];
  for (let one = error; isObject(one) && causes.length < 5; one = one.cause) causes.push(one);
  return causes;
}

function statusOf({ status, statusCode, $metadata, response }: Record<string, unknown>): number | undefined {
  const { httpStatusCode } = isObject($metadata) ? $metadata : {};
  const answered = isObject(response) ? response.status : undefined;
  return [status, statusCode, httpStatusCode, answered].find((one) => typeof one === 'number') as number | undefined;
}

function mayPass(error: Record<string, unknown>): boolean {
  if (isMemoryError(error)) return error.retryable === true || PASSING.includes(error.code);
  return typeof error.code === 'string' && LINK.test(error.code);
}
