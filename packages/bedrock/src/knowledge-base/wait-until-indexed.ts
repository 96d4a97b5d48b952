import { MemoryError } from '@keepsake/core';
import { expectKnownFields, expectWhole, type FieldNames, throwIfAborted } from '@keepsake/core/adapter';
import { pause } from '@keepsake/internal';
import type { DocumentDetail } from '../aws/aws-client.ts';
import { hasFailed, ingestionError } from './documents.ts';

export interface WaitOptions {
  /**
   * The maximum time to wait, in milliseconds.
   *
   * @default 300_000
   */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const WAIT_OPTIONS: FieldNames<WaitOptions> = { deadlineMs: true, signal: true };

const DEFAULT_DEADLINE_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** Statuses in which searches find a document, or parts of it. */
const INDEXED: readonly unknown[] = ['INDEXED', 'PARTIALLY_INDEXED', 'METADATA_PARTIALLY_INDEXED'];

/** Polls with exponential backoff until a document is indexed. Returns its last status. */
export async function waitUntilIndexed(
  ask: (signal: AbortSignal) => Promise<DocumentDetail | undefined>,
  options: WaitOptions = {},
): Promise<DocumentDetail> {
  const { deadlineMs = DEFAULT_DEADLINE_MS, signal } = expectKnownFields(options, WAIT_OPTIONS);
  expectWhole(deadlineMs, 'deadlineMs', 1);
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
      either.throwIfAborted();
    }
  } catch (error) {
    throwIfAborted(signal);
    if (!deadline.aborted) throw error;
    const message = `The document was not indexed within ${deadlineMs} ms. Its last status was ${last ?? 'unknown'}.`;
    throw new MemoryError('TIMEOUT', message, { cause: error });
  }
}
