import { isMemoryError } from '@keepsake/core';
import type { RequestOptions } from './openai-client.ts';
import { type CallFacts, toMemoryError } from './openai-errors.ts';

/** Asks for something that can be asked twice: the SDK tries again as its client is set. */
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
 * Changes something that must not be changed twice. Only what was surely not done is tried again: a request that was
 * refused for there being too many.
 *
 * @throws MemoryError `OUTCOME_UNKNOWN` where the link broke.
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

/** How long to wait, as the service says, else half a second and twice as long each time. */
function waitOf(error: unknown, attempt: number): number {
  const headers = (error as { headers?: Headers }).headers;
  const [milliseconds, seconds] = [headers?.get('retry-after-ms'), headers?.get('retry-after')].map((value) =>
    Number.parseFloat(value ?? ''),
  );
  const asked = Number.isFinite(milliseconds) ? milliseconds : (seconds as number) * 1000;
  const own = 500 * 2 ** attempt * (1 - Math.random() / 4);
  return asked !== undefined && asked >= 0 && asked <= LONGEST_WAIT_MS ? asked : own;
}

/** A service that asks for more is not waited for, as the SDK has it. */
const LONGEST_WAIT_MS = 60_000;

/** Waits; an aborted signal ends it, and is seen by the next call. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
