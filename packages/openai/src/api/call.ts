import { isMemoryError } from '@keepsake/core';
import { pause } from '@keepsake/internal';
import type { RequestOptions } from './openai-client.ts';
import { type CallFacts, toMemoryError } from './openai-errors.ts';

/** Sends an idempotent request. The SDK retries it as configured on the client. */
export async function ask<T>(
  facts: Omit<CallFacts, 'changes'>,
  send: (options: RequestOptions) => PromiseLike<T>,
): Promise<T> {
  const { signal } = facts;
  try {
    return await send(signal === undefined ? {} : { signal });
  } catch (error) {
    throw toMemoryError(error, { ...facts, changes: false });
  }
}

/**
 * Sends a request that must not be executed twice. Retries it only if it was certainly not executed, such as after a rate
 * limit.
 *
 * @throws MemoryError `OUTCOME_UNKNOWN` if the connection broke.
 */
export async function change<T>(
  client: { readonly maxRetries?: number },
  facts: Omit<CallFacts, 'changes'>,
  send: (options: RequestOptions) => PromiseLike<T>,
): Promise<T> {
  const { maxRetries = 2 } = client;
  const { signal } = facts;
  for (let attempt = 0; ; attempt++) {
    try {
      return await send({ maxRetries: 0, ...(signal === undefined ? {} : { signal }) });
    } catch (error) {
      const failure = toMemoryError(error, { ...facts, changes: true });
      if (attempt >= maxRetries || !isMemoryError(failure, 'BACKEND') || !failure.retryable) throw failure;
      await pause(waitOf(error, attempt), signal);
    }
  }
}

/** The delay that the service asks for, or exponential backoff from half a second. */
function waitOf(error: unknown, attempt: number): number {
  const headers = (error as { headers?: Headers }).headers;
  const [milliseconds, seconds] = [headers?.get('retry-after-ms'), headers?.get('retry-after')].map((value) =>
    Number.parseFloat(value ?? ''),
  );
  const asked = Number.isFinite(milliseconds) ? milliseconds : (seconds as number) * 1000;
  const own = 500 * 2 ** attempt * (1 - Math.random() / 4);
  return asked !== undefined && asked >= 0 && asked <= LONGEST_WAIT_MS ? asked : own;
}

/** Longer delays are ignored, as in the SDK. */
const LONGEST_WAIT_MS = 60_000;
