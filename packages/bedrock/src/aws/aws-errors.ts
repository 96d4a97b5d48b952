import { isMemoryError, MemoryError } from '@keepsake/core';

/** Describes a request to AWS, for its errors. */
export interface AwsCall {
  /** Whether the request changes data, so that its outcome is unknown if the connection breaks. */
  readonly writes: boolean;
  /** The permission that the request requires, such as `bedrock:Retrieve`. */
  readonly permission: string;
}

/** The part of an AWS SDK error that is read. */
interface AwsError {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
  readonly $retryable?: { readonly throttling?: boolean };
}

/** Failures before a request is sent. */
const NOT_SENT: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/**
 * Converts an error of the AWS SDK, after its own retries, to a `MemoryError` that says what to do. A refused request
 * changed nothing. After an internal error or without a response, a write may have happened.
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
      'AWS throttles these requests, even after the retries of the client. Try again later, or raise the quota.',
      true,
    );
  }
  if (status === 413 || name === 'RequestEntityTooLarge' || name === 'EntityTooLarge') {
    return new MemoryError('TOO_LARGE', 'The request is too large for AWS. Split the content.', { cause: error });
  }
  if (name === 'AccessDeniedException' || name === 'AccessDenied' || status === 401 || status === 403) {
    return failed(
      `AWS refuses these credentials, or they lack ${permission}. docs/bedrock.md lists what the role needs.`,
    );
  }
  if (name === 'ResourceNotFoundException' || name === 'NoSuchBucket') {
    return failed(
      'The knowledge base, data source or bucket does not exist in this region. Check the ids and the region.',
    );
  }
  if (name === 'ConflictException' || status === 409) {
    return failed(
      'AWS is processing another change of this resource, so nothing was changed. Try again in a moment.',
      true,
    );
  }
  if (status !== undefined && status >= 400 && status < 500)
    return failed(`AWS refused the request (${name}). See the cause.`);
  // A 503 is returned before the request is processed.
  if (status === 503) return failed('AWS is unavailable, so nothing was changed. Try again later.', true);
  if ($metadata === undefined || NOT_SENT.includes(code)) {
    return failed(
      `The request could not be sent${writes ? ', so nothing was changed' : ''}. Check the region (AWS_REGION), the credentials and the network; see the cause.`,
      $metadata !== undefined,
    );
  }
  if (!writes)
    return failed('AWS could not be reached or had an internal error; see the cause. Try again later.', true);
  return new MemoryError(
    'OUTCOME_UNKNOWN',
    'AWS did not respond or had an internal error: the change may have happened. Retry it, which is safe.',
    { cause: error },
  );
}

function isThrottling(name: string, status: number | undefined, retryable: AwsError['$retryable']): boolean {
  return (
    status === 429 || retryable?.throttling === true || /^(Throttl|TooManyRequests|SlowDown|ServiceQuota)/.test(name)
  );
}
