import { isMemoryError, MemoryError } from '@keepsake/core';

/** What is asked of AWS, for what can be said when it fails. */
export interface AwsCall {
  /** Whether it changes anything, so that a broken link leaves open whether it did. */
  readonly writes: boolean;
  /** What the caller's role needs for it, such as `bedrock:Retrieve`. */
  readonly permission: string;
}

/** What is read of an error of the AWS SDK. */
interface AwsError {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
  readonly $retryable?: { readonly throttling?: boolean };
}

/** Failures before anything was sent. */
const NOT_SENT: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/**
 * An error of the AWS SDK, which has made its own retries, as a `MemoryError` that says what to do. What the service
 * refuses has changed nothing; where it failed inside or no answer came, a write may have happened.
 */
export function asMemoryError(error: unknown, { writes, permission }: AwsCall): MemoryError {
  if (isMemoryError(error)) return error;
  const { name = '', code, $metadata, $retryable } = (error ?? {}) as AwsError;
  const status = $metadata?.httpStatusCode;
  const failed = (message: string, retryable = false) =>
    new MemoryError('BACKEND', message, { cause: error, ...(retryable && { retryable }) });

  if (name === 'AbortError') return new MemoryError('ABORTED', 'The caller aborted this call.', { cause: error });
  if (isThrottling(name, status, $retryable)) {
    return failed(
      'AWS throttles these requests, also after the retries of the client. Try again later, or raise the quota.',
      true,
    );
  }
  if (status === 413 || name === 'RequestEntityTooLarge' || name === 'EntityTooLarge') {
    return new MemoryError('TOO_LARGE', 'AWS takes no request of that size. Split the content.', { cause: error });
  }
  if (name === 'AccessDeniedException' || name === 'AccessDenied' || status === 401 || status === 403) {
    return failed(
      `AWS refuses these credentials, or they lack ${permission}. docs/bedrock.md lists what the role needs.`,
    );
  }
  if (name === 'ResourceNotFoundException' || name === 'NoSuchBucket') {
    return failed(
      'There is no such knowledge base, data source or bucket in this region. Check the ids and the region.',
    );
  }
  if (name === 'ConflictException' || status === 409) {
    return failed(
      'AWS is busy with another change of this resource: nothing was changed. Try again in a moment.',
      true,
    );
  }
  if (status !== undefined && status >= 400 && status < 500)
    return failed(`AWS refused this (${name}), see the cause.`);
  // 503 is said before anything is begun.
  if (status === 503) return failed('AWS is unavailable at present: nothing was changed. Try again later.', true);
  if ($metadata === undefined || NOT_SENT.includes(code)) {
    return failed(
      'AWS could not be asked: nothing was changed. Check region, credentials and network; see the cause.',
      $metadata !== undefined,
    );
  }
  if (!writes) return failed('AWS could not be reached or failed inside, see the cause. Try again later.', true);
  return new MemoryError(
    'OUTCOME_UNKNOWN',
    'AWS did not answer, or failed inside: the change may have happened. Make it again, which changes nothing twice.',
    { cause: error },
  );
}

function isThrottling(name: string, status: number | undefined, retryable: AwsError['$retryable']): boolean {
  return (
    status === 429 || retryable?.throttling === true || /^(Throttl|TooManyRequests|SlowDown|ServiceQuota)/.test(name)
  );
}
