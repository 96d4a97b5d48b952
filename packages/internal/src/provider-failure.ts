import { httpStatusOf } from './http-status.ts';

/** A failure of a model provider, for a `MemoryError`. */
export interface ProviderFailure {
  readonly code: 'BACKEND' | 'INVALID_ARGUMENT' | 'TOO_LARGE';
  readonly message: string;
  /** The error, or only its name and status, because the text of a provider may quote the request or the key. */
  readonly cause: unknown;
  readonly retryable?: boolean;
}

/**
 * Describes the error of a request to a provider by its HTTP status, wherever the SDK keeps it.
 *
 * @param action - The start of the message, such as `Asking the model`.
 */
export function providerFailure(action: string, error: unknown): ProviderFailure {
  const status = httpStatusOf(error);
  if (status === undefined) return { code: 'BACKEND', message: `${action} failed. See cause.`, cause: error };
  const cause = new ProviderError(error instanceof Error ? error.name : 'Error', status);
  if (PASSING.has(status) || status >= 500) {
    const message = `${action} failed (status ${status}). The provider may recover: try again later.`;
    return { code: 'BACKEND', message, cause, retryable: true };
  }
  if (status === 413) {
    return { code: 'TOO_LARGE', message: `${action} was refused: the request is too large.`, cause, retryable: false };
  }
  if (status === 400 || status === 422) {
    const message = `${action} was refused (status ${status}). The provider does not accept this text, or an option.`;
    return { code: 'INVALID_ARGUMENT', message, cause, retryable: false };
  }
  const message = `${action} was refused (status ${status}). Check the name of the model, the API key and its permissions.`;
  return { code: 'BACKEND', message, cause };
}

/** Timeouts, locks and rate limits. */
const PASSING: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 409, 425, 429]);

/** The parts of an error that are safe to repeat. */
class ProviderError extends Error {
  readonly status: number;

  constructor(kind: string, status: number) {
    super(`${kind}, status ${status}`);
    this.name = 'ProviderError';
    this.status = status;
  }
}
