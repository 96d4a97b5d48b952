import { MemoryError, throwIfAborted } from '@keepsake/core';
import type { DocumentDetail } from './aws-client.ts';
import { hasFailed, ingestionError } from './documents.ts';
import { expect } from './expect.ts';

export interface WaitOptions {
  /** How long to wait: milliseconds, by default 5 minutes. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_DEADLINE_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** Statuses with which searches find a document, or parts of it. */
const INDEXED: readonly unknown[] = ['INDEXED', 'PARTIALLY_INDEXED', 'METADATA_PARTIALLY_INDEXED'];

/** Asks again and again, ever less often, until a document is indexed, and gives what was said of it last. */
export async function waitUntilIndexed(
  ask: (signal: AbortSignal) => Promise<DocumentDetail | undefined>,
  { deadlineMs = DEFAULT_DEADLINE_MS, signal }: WaitOptions = {},
): Promise<DocumentDetail> {
  expect(Number.isSafeInteger(deadlineMs) && deadlineMs > 0, 'deadlineMs is to be a whole number of 1 or more.');
  throwIfAborted(signal);
  const deadline = AbortSignal.timeout(deadlineMs);
  const either = AbortSignal.any(signal === undefined ? [deadline] : [deadline, signal]);
  let last: string | undefined;
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const detail = await ask(either);
      if (detail !== undefined && INDEXED.includes(detail.status)) return detail;
      if (detail !== undefined && hasFailed(detail)) throw ingestionError(detail);
      last = detail?.status ?? 'NOT_FOUND';
      await pause(pauseMs, either);
    }
  } catch (error) {
    throwIfAborted(signal);
    if (!deadline.aborted) throw error;
    const message = `The document was not indexed within ${deadlineMs} ms. Its status was ${last ?? 'not known'}.`;
    throw new MemoryError('TIMEOUT', message, { cause: error });
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
