import { isMemoryError, MemoryError } from '@keepsake/core';
import { providerFailure } from '@keepsake/internal';
import { AISDKError, LoadAPIKeyError, LoadSettingError, NoSuchModelError, RetryError } from 'ai';

/**
 * Converts a failure of a model to a `MemoryError`. Its cause contains neither the request nor the answer, which the errors of
 * the SDK do.
 *
 * @param action - The start of the message, such as `Asking the model`.
 */
export function toMemoryError(error: unknown, action: string, signal: AbortSignal | undefined): MemoryError {
  if (isMemoryError(error)) return error;
  if (signal?.aborted) {
    return new MemoryError('ABORTED', `${action} was aborted by the caller.`, { cause: signal.reason });
  }
  const last = RetryError.isInstance(error) ? error.lastError : error;
  const { statusCode, isRetryable } = (last ?? {}) as { readonly statusCode?: number; readonly isRetryable?: boolean };
  if (statusCode === undefined && isRetryable === true) {
    const message = `${action} failed: the connection to the provider broke. Try again later.`;
    return new MemoryError('BACKEND', message, { cause: withoutContent(last), retryable: true });
  }
  const { code, message, cause, ...rest } = providerFailure(action, last);
  return new MemoryError(code, message, { ...rest, cause: withoutContent(cause) });
}

/** These errors quote only names and settings. */
const SAFE = [LoadAPIKeyError, LoadSettingError, NoSuchModelError];

function withoutContent(error: unknown): unknown {
  if (!AISDKError.isInstance(error) || SAFE.some((kind) => kind.isInstance(error))) return error;
  return new Error(`${error.name} (its text is left out, because it may quote the request)`);
}
