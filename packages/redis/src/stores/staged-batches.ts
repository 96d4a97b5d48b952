import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMemoryError, type MemoryRecord } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';
import type { Language } from '@keepsake/search';
import type { ScriptArgument } from '../client/redis-client.ts';
import type { Script } from '../client/script.ts';
import { REPLY } from '../lua/records/replies.ts';
import { APPLY, COMMIT, DISCARD, READ_PENDING, READ_STAGED, STAGE } from '../lua/records/staging.ts';
import { describeDocument } from './describe-document.ts';
import type { LargeBatch } from './large-batch.ts';
import { packId } from './pack-id.ts';
import { readRecord, readRecords, type StoredRecord } from './stored-record.ts';
import { slicesOf, workToRemove } from './work.ts';

/*
 * Large batches are put in slices; `lua/records/staged-batch.ts` says how.
 */

/** The records of a namespace, as far as batches need them. */
interface StagingPlace {
  readonly language: Language | undefined;
  readonly analysis: string;
  run(script: Script, values: readonly ScriptArgument[]): Promise<unknown[]>;
  runChecked(
    script: Script,
    values: readonly ScriptArgument[],
    keys?: readonly string[],
  ): Promise<readonly [code: string, ...details: unknown[]]>;
  /** The keys for a change that is remembered, so that it is made once even if it is sent again. */
  keysOfChange(): readonly string[];
  /** Registers the namespace, as a script asked. Returns what the script gets in the next attempt. */
  register(details: readonly unknown[]): Promise<readonly ScriptArgument[]>;
  /** Removes expired records. */
  sweep(): Promise<void>;
}

/** What came of a batch: when it was put, in milliseconds since 1970, or the records that are kept instead. */
export type PutBatch = { readonly putAt: number } | { readonly kept: readonly MemoryRecord[] };

/** How many records, and about how many bytes of them, one script reads when a batch is finished or discarded. */
const REPLACED_AT_A_TIME = 100;
const READ_BYTES = 500_000;
/** How many new records, which are in their place except for their vectors and expiries. */
const OWN_AT_A_TIME = 1_000;
/** How long to wait for a batch of another process. */
const PAUSE_MS = 20;

/** Puts a large batch: stages it in slices, then makes all of it visible at once. */
export async function putStaged(
  place: StagingPlace,
  batch: LargeBatch,
  signal: AbortSignal | undefined,
): Promise<PutBatch> {
  for (;;) {
    const token = randomBytes(12).toString('hex');
    try {
      const staged = await stageAll(place, token, batch, signal);
      if (typeof staged === 'string') {
        throwIfAborted(signal);
        const values = [token, randomBytes(12), batch.size, staged];
        const [reply] = await place.runChecked(COMMIT, values, place.keysOfChange());
        if (reply === REPLY.done) {
          // The batch is put. If this fails, whoever waits for it finishes it.
          await finishCommitted(place, batch.replaced).catch(() => undefined);
          return { putAt: Number(staged) };
        }
      }
      await settleStaged(place, token);
      if (typeof staged === 'object') return staged;
    } catch (error) {
      // Without a connection, this would wait for one. Then others discard the batch once its time is up.
      if (!isMemoryError(error, 'OUTCOME_UNKNOWN')) await settleStaged(place, token).catch(() => undefined);
      throw error;
    }
  }
}

/** Returns when the batch was put, or records to keep instead; `undefined` if it has to be staged again. */
async function stageAll(
  place: StagingPlace,
  token: string,
  batch: LargeBatch,
  signal: AbortSignal | undefined,
): Promise<string | Extract<PutBatch, { kept: unknown }> | undefined> {
  let putAt = '';
  let done = 0;
  let gate: readonly ScriptArgument[] = ['', 0];
  for (const slice of batch.slices) {
    for (let isStaged = false; !isStaged; ) {
      throwIfAborted(signal);
      const values = [token, done, putAt, ...gate, place.analysis, ...batch.valuesOf(slice)];
      const [reply, ...details] = await place.runChecked(STAGE, values);
      switch (reply) {
        case REPLY.register:
          gate = await place.register(details);
          break;
        case REPLY.busy:
        case REPLY.abandoned:
          await awaitStaged(place, reply);
          break;
        case REPLY.expired:
          await place.sweep();
          break;
        case REPLY.changed: {
          const kept = batch.learn(slice, details);
          if (kept !== undefined) return { kept };
          break;
        }
        case REPLY.restart:
          return undefined;
        default:
          putAt = String(details[0]);
          isStaged = true;
      }
    }
    done += slice.length;
  }
  return putAt;
}

/** Waits a moment for a batch of another process, or finishes or discards it if that process has stopped. */
export async function awaitStaged(place: StagingPlace, reply: string): Promise<void> {
  if (reply === REPLY.busy) await sleep(PAUSE_MS);
  else await settleStaged(place);
}

/**
 * Finishes a batch that is committed; removes one that is not, in slices: the one with this token, or one whose process has
 * stopped. Several processes can do so at once.
 */
export async function settleStaged(place: StagingPlace, token?: string): Promise<void> {
  await finishCommitted(place);
  for (;;) {
    const [entry, isAbandoned, lowest, ...found] = await place.run(READ_STAGED, [REPLACED_AT_A_TIME, READ_BYTES]);
    if (entry === undefined || String(entry).includes(' committed ')) return;
    if (token === undefined ? isAbandoned !== 1 : !String(entry).startsWith(`${token} `)) return;
    // From the last document down.
    const [slice = []] = slicesOf(readRecords(found), workToRemove);
    const isAll = 2 * slice.length === found.length;
    const first = isAll ? Number(lowest) : (slice.at(-1)?.document ?? Number(lowest));
    const values = slice.flatMap(({ record, document }) => [
      packId(record.id),
      document,
      ...describeDocument(record, place.language),
    ]);
    await place.runChecked(DISCARD, [entry as Buffer, place.analysis, first, ...values], place.keysOfChange());
  }
}

/** What is pending for a document; its record and what replaces it, unless the record is new. */
interface Pending {
  readonly document: number;
  readonly replaced: readonly [former: StoredRecord, replacement: StoredRecord] | undefined;
}

/**
 * Puts in its place what is pending for a batch that is committed: of the documents that it replaces, which the caller may
 * know, then of its own, each in their order. So each script changes fewer fields of the index, and vectors that are equally
 * near are in the order of creation.
 */
async function finishCommitted(place: StagingPlace, replaced: readonly number[] = []): Promise<void> {
  const [token, first, after] = await place.run(READ_PENDING, [0]);
  if (token === undefined) return;
  const own = Array.from({ length: Number(after) - Number(first) }, (_, n) => Number(first) + n);
  for (const documents of [...chunksOf(replaced, REPLACED_AT_A_TIME), ...chunksOf(own, OWN_AT_A_TIME)]) {
    await finishDocuments(place, documents);
  }
  await finishDocuments(place, []);
}

/** Puts in its place what is pending for some documents, or for all if none are named. */
async function finishDocuments(place: StagingPlace, documents: readonly number[]): Promise<void> {
  for (;;) {
    const [token, , , ...found] = await place.run(READ_PENDING, [READ_BYTES, ...documents]);
    const [slice] = slicesOf(readPending(found), ({ replaced = [] }) =>
      replaced.reduce((sum, stored) => sum + workToRemove(stored), 1),
    );
    if (slice === undefined) return;
    const values = slice.flatMap(({ document, replaced }) => {
      const described = replaced?.flatMap(({ record }) => describeDocument(record, place.language)) ?? [];
      return [document, replaced === undefined ? '' : '1', ...described];
    });
    await place.runChecked(APPLY, [token as Buffer, place.analysis, ...values], place.keysOfChange());
  }
}

function chunksOf(documents: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.ceil(documents.length / size) }, (_, n) =>
    documents.slice(n * size, (n + 1) * size),
  );
}

function readPending(found: readonly unknown[]): Pending[] {
  return Array.from({ length: found.length / 3 }, (_, n) => {
    const [document, former, replacement] = found.slice(3 * n, 3 * n + 3) as [number, Buffer | null, Buffer | null];
    const replaced =
      former && replacement && ([readRecord(document, former), readRecord(document, replacement)] as const);
    return { document, replaced: replaced ?? undefined };
  });
}
