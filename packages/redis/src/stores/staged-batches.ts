import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMemoryError } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';
import type { Language } from '@keepsake/search';
import type { ScriptArgument } from '../client/redis-client.ts';
import type { Script } from '../client/script.ts';
import { REPLY } from '../lua/records/replies.ts';
import { COMMIT, DISCARD, READ_STAGED, STAGE } from '../lua/records/staging.ts';
import { describeDocument } from './describe-document.ts';
import { packId } from './pack-id.ts';
import { readRecords } from './stored-record.ts';

/** A record to stage. */
export interface StagedRecord {
  /** What `STAGE` reads of it. */
  readonly values: readonly ScriptArgument[];
  /** About how long the script takes for it: each term counts 1. */
  readonly work: number;
}

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
}

/** What a record takes beside its terms. */
const RECORD_WORK = 10;
/** Takes a server about 10 ms. A single record can have more. */
const SLICE_WORK = 2_500;
/** How many records one script reads or removes when a batch is discarded. */
const DISCARD_SIZE = 100;
/** How long to wait for a batch that another process stages. */
const PAUSE_MS = 20;

/** The work for a record, by what `describeDocument` returned. */
export function workOf([, , , terms]: readonly ScriptArgument[]): number {
  const text = String(terms);
  let work = RECORD_WORK + 1;
  for (let at = text.indexOf('\0'); at >= 0; at = text.indexOf('\0', at + 1)) work++;
  return work;
}

/** Whether one script with all records would keep the server from serving others. */
export function isLarge(records: readonly StagedRecord[]): boolean {
  return records.length > 1 && records.reduce((sum, { work }) => sum + work, 0) > SLICE_WORK;
}

/**
 * Puts a large batch of new records: stages it in slices, then makes all of it visible at once. Returns when it was put, in
 * milliseconds since 1970; `undefined`, having put nothing, if an id is taken.
 */
export async function putStaged(
  place: StagingPlace,
  batch: readonly StagedRecord[],
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const slices = slicesOf(batch);
  for (;;) {
    const token = randomBytes(12).toString('hex');
    const idempotencyKey = randomBytes(12);
    try {
      const putAt = await stageAll(place, token, slices, signal);
      if (putAt === 'restart') continue;
      if (putAt === undefined) {
        await discardStaged(place, token);
        return undefined;
      }
      throwIfAborted(signal);
      const [reply] = await place.runChecked(
        COMMIT,
        [token, idempotencyKey, batch.length, putAt],
        place.keysOfChange(),
      );
      if (reply === REPLY.done) return Number(putAt);
    } catch (error) {
      // Without a connection, this would wait for one. Then others discard the batch once its time is up.
      if (!isMemoryError(error, 'OUTCOME_UNKNOWN')) await discardStaged(place, token).catch(() => undefined);
      throw error;
    }
  }
}

async function stageAll(
  place: StagingPlace,
  token: string,
  slices: readonly (readonly StagedRecord[])[],
  signal: AbortSignal | undefined,
): Promise<string | 'restart' | undefined> {
  let putAt = '';
  let done = 0;
  for (const slice of slices) {
    const staged = await stage(place, [token, done, putAt], slice, signal);
    if (staged === 'restart' || staged === undefined) return staged;
    putAt = staged;
    done += slice.length;
  }
  return putAt;
}

/** Stages a slice as soon as no other batch is staged. Returns when the batch was put. */
async function stage(
  place: StagingPlace,
  position: readonly ScriptArgument[],
  slice: readonly StagedRecord[],
  signal: AbortSignal | undefined,
): Promise<string | 'restart' | undefined> {
  const values = slice.flatMap((record) => record.values);
  let gate: readonly ScriptArgument[] = ['', 0];
  for (;;) {
    throwIfAborted(signal);
    const [reply, ...details] = await place.runChecked(STAGE, [...position, ...gate, place.analysis, ...values]);
    switch (reply) {
      case REPLY.register:
        gate = await place.register(details);
        break;
      case REPLY.busy:
        await sleep(PAUSE_MS);
        break;
      case REPLY.abandoned:
        await discardStaged(place);
        break;
      case REPLY.restart:
        return 'restart';
      case REPLY.changed:
        return undefined;
      default:
        return String(details[0]);
    }
  }
}

/** Waits a moment for a batch that another process stages, or discards it if that process has stopped. */
export async function awaitStaged(place: StagingPlace, reply: string): Promise<void> {
  if (reply === REPLY.busy) await sleep(PAUSE_MS);
  else await discardStaged(place);
}

/**
 * Removes a staged batch in slices: the one with this token, or one whose process has stopped. Several processes can do so at
 * once.
 */
export async function discardStaged(place: StagingPlace, token?: string): Promise<void> {
  for (;;) {
    const [entry, isAbandoned, lowest, ...found] = await place.run(READ_STAGED, [DISCARD_SIZE]);
    if (entry === undefined) return;
    if (token === undefined ? isAbandoned !== 1 : !String(entry).startsWith(`${token} `)) return;
    const values = readRecords(found).flatMap(({ record, document }) => [
      packId(record.id),
      document,
      ...describeDocument(record, place.language),
    ]);
    await place.runChecked(DISCARD, [entry as Buffer, place.analysis, Number(lowest), ...values], place.keysOfChange());
  }
}

function slicesOf(batch: readonly StagedRecord[]): StagedRecord[][] {
  const slices: StagedRecord[][] = [];
  let room = 0;
  for (const record of batch) {
    if (record.work > room) {
      slices.push([]);
      room = SLICE_WORK;
    }
    slices.at(-1)?.push(record);
    room -= record.work;
  }
  return slices;
}
