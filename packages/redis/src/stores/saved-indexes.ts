import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { MemoryError } from '@keepsake/core';
import type { IndexWriter, SavedIndex } from '@keepsake/search';
import type { ScriptArgument } from '../client/redis-client.ts';
import type { Script } from '../client/script.ts';
import {
  BEGIN_INDEX,
  DISCARD_INDEX,
  PUBLISH_INDEX,
  READ_INDEX,
  READ_PAGES,
  WRITE_PAGES,
} from '../lua/records/log-scripts.ts';

/** After this time without another page, the process that writes an index has ended. */
const LEASE_MS = 30_000;
/** How many of the last pages are read with an index. */
const LAST_PAGES = 32;
const CHECKSUM_BYTES = 4;

/** Runs a script on the keys of a namespace. */
type Run = (script: Script, values: readonly ScriptArgument[]) => Promise<unknown>;

/** The saved index of a variant. */
export async function readIndex(run: Run, variant: string): Promise<SavedIndex | undefined> {
  const [meta, now, ...last] = (await run(READ_INDEX, [variant, LAST_PAGES])) as (Buffer | null)[];
  if (meta === undefined || meta === null) return undefined;
  const [id, log, change, pages] = meta.toString().split(' ') as [string, string, string, string];
  const count = Number(pages);
  const read = async (numbers: readonly number[]) => {
    const fields = numbers.map((page) => `${id}:${page}`);
    return undamaged(numbers, (await run(READ_PAGES, fields)) as (Buffer | null)[]);
  };
  const numbers = last.map((_, place) => count - last.length + place);
  return {
    ...{ id, log, change: Number(change), count, pages: undamaged(numbers, last), read },
    ...(now && { currentAt: Number(now) }),
  };
}

function undamaged(numbers: readonly number[], pages: readonly (Buffer | null)[]): Map<number, Uint8Array> {
  const whole = new Map<number, Uint8Array>();
  for (const [place, page] of pages.entries()) {
    const bytes = page?.subarray(CHECKSUM_BYTES);
    if (bytes !== undefined && crc32(bytes) === page?.readUInt32BE()) whole.set(numbers[place] as number, bytes);
  }
  return whole;
}

/** Begins to save an index, unless another process is at it, or has saved one with changes after `knownChange`. */
export async function writeIndex(run: Run, variant: string, knownChange: number): Promise<IndexWriter | undefined> {
  const number = randomBytes(8).toString('hex');
  if ((await run(BEGIN_INDEX, [variant, number, LEASE_MS, Math.min(knownChange, Number.MAX_SAFE_INTEGER)])) !== 1)
    return undefined;
  let count = 0;
  return {
    async write(pages) {
      expectOwn(await run(WRITE_PAGES, [variant, number, LEASE_MS, count, ...pages.map(withChecksum)]));
      count += pages.length;
    },
    async publish({ log, change }) {
      expectOwn(await run(PUBLISH_INDEX, [variant, number, String(log), String(change), count]));
    },
    discard: async () => void (await run(DISCARD_INDEX, [variant, number, count])),
  };
}

function withChecksum(bytes: Uint8Array): Buffer {
  const page = Buffer.alloc(CHECKSUM_BYTES + bytes.length);
  page.writeUInt32BE(crc32(bytes));
  page.set(bytes, CHECKSUM_BYTES);
  return page;
}

function expectOwn(reply: unknown): void {
  if (reply !== 1) {
    throw new MemoryError('CONFLICT', 'The namespace was cleared or compacted while its index was saved.');
  }
}
