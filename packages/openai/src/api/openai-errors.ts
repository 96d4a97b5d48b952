import { MemoryError } from '@keepsake/core';

/** Describes a request, for its errors. */
export interface CallFacts {
  /** The action, such as `Reading the conversation`; starts the error message. */
  readonly action: string;
  /** Whether the request changes data, so that its outcome is unknown if the connection breaks. */
  readonly changes: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Converts an error of the OpenAI SDK to a `MemoryError`. Its message and cause contain no text of the service, which may
 * quote the request and the key: the cause has only the status, the codes and the request id.
 */
export function toMemoryError(error: unknown, facts: CallFacts): MemoryError {
  const { action, changes, signal } = facts;
  if (signal?.aborted)
    return new MemoryError('ABORTED', `${action} was aborted by the caller.`, { cause: signal.reason });
  const status = statusOf(error);
  if (status === undefined) return ofLink(error, facts);
  const cause = new ServiceError(status, error);
  if (status === 429 && cause.code !== 'insufficient_quota') {
    return failure(`${action} was refused: too many requests. Try again later.`, cause, true);
  }
  if (status === 429) return failure(`${action} was refused: the account has no quota left.`, cause);
  if (status === 401 || status === 403) {
    return failure(`${action} was refused: check the client's API key and the permissions of its project.`, cause);
  }
  // Another request holds the lock of the conversation: this one changed nothing.
  if (status === 409)
    return failure(`${action} was refused because another request is in progress. Try again.`, cause, true);
  if (status === 408 || status >= 500) {
    const retry = 'The service had an internal error. Try again later.';
    return changes ? outcomeUnknown(action, cause) : failure(`${action} failed. ${retry}`, cause, true);
  }
  if (status === 413)
    return new MemoryError('TOO_LARGE', `${action} was refused: the request is too large.`, { cause });
  if (status === 404) return failure(`${action} failed: not found.`, cause);
  return new MemoryError('INVALID_ARGUMENT', `${action} was refused: ${cause.message}.`, { cause });
}

/** The HTTP status of an error of the OpenAI SDK; `undefined` if there was no response. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { status?: unknown } | undefined)?.status;
  return typeof status === 'number' ? status : undefined;
}

/** The parts of the service's error that are safe to repeat. */
class ServiceError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly requestId: string | undefined;

  constructor(status: number, error: unknown) {
    const { code, param, requestID } = error as Record<string, unknown>;
    super([`status ${status}`, plain(code), plain(param)].filter((part) => part !== undefined).join(', '));
    this.name = 'ServiceError';
    this.status = status;
    this.code = plain(code);
    this.param = plain(param);
    this.requestId = plain(requestID);
  }
}

/** Returns `text` only if it is a code or a path, such as `items[0].content`, and can't be content. */
function plain(text: unknown): string | undefined {
  return typeof text === 'string' && /^[\w.[\]-]{1,80}$/.test(text) ? text : undefined;
}

/** Node's error codes for connections that were never made: nothing was sent. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

function ofLink(error: unknown, { action, changes }: CallFacts): MemoryError {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (!NEVER_SENT.includes((one as { code?: string }).code ?? '')) continue;
    return failure(
      `${action} failed: can't reach the service. Check the network and the client's \`baseURL\`.`,
      error,
      true,
    );
  }
  if (changes) return outcomeUnknown(action, error);
  return failure(`${action} failed: the connection to the service broke. Try again.`, error, true);
}

function outcomeUnknown(action: string, cause: unknown): MemoryError {
  const message = `${action} may have succeeded: there was no clear response. Read before you try again.`;
  return new MemoryError('OUTCOME_UNKNOWN', message, { cause });
}

function failure(message: string, cause: unknown, retryable = false): MemoryError {
  return new MemoryError('BACKEND', message, { cause, retryable });
}
