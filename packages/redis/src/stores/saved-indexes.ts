import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { MemoryError } from '@keepsake/core';
import type { IndexWriter, SavedIndex } from '@keepsake/search';
import type { ScriptArgument } from '../client/redis-client.ts';
import type { Script } from '../client/script.ts';
import { BEGIN_INDEX, DISCARD_INDEX, PUBLISH_INDEX, READ_INDEX, WRITE_PAGE } from '../lua/records/log-scripts.ts';

/** After this time without another page, the process that writes an index has ended. */
const LEASE_MS = 30_000;
/** How many pages are read at once. */
const PAGES_AT_ONCE = 16;
const CHECKSUM_BYTES = 4;

/** Runs a script on the keys of a namespace. */
type Run = (script: Script, values: readonly ScriptArgument[]) => Promise<unknown>;

/** The saved index of a variant; `undefined` if there is none, or a page of it is damaged or gone by now. */
export async function readIndex(run: Run, variant: string): Promise<SavedIndex | undefined> {
  const [meta] = (await run(READ_INDEX, [variant])) as (Buffer | null)[];
  if (meta === undefined || meta === null) return undefined;
  const [number, log, change, count] = meta.toString().split(' ') as [string, string, string, string];
  const fields = Array.from({ length: Number(count) }, (_, page) => `${number}:${page}`);
  const pages: Buffer[] = [];
  for (let from = 0; from < fields.length; from += PAGES_AT_ONCE) {
    const found = (await run(READ_INDEX, fields.slice(from, from + PAGES_AT_ONCE))) as (Buffer | null)[];
    for (const page of found) {
      const bytes = page?.subarray(CHECKSUM_BYTES);
      if (page === null || bytes === undefined || crc32(bytes) !== page.readUInt32BE()) return undefined;
      pages.push(bytes);
    }
  }
  return { log, change: Number(change), bytes: Buffer.concat(pages) };
}

/** Begins to save an index, unless another process is at it, or has saved one with changes after `known`. */
export async function writeIndex(run: Run, variant: string, known: number): Promise<IndexWriter | undefined> {
  const number = randomBytes(8).toString('hex');
  if ((await run(BEGIN_INDEX, [variant, number, LEASE_MS, Math.min(known, Number.MAX_SAFE_INTEGER)])) !== 1)
    return undefined;
  let pages = 0;
  return {
    async write(bytes) {
      const page = Buffer.alloc(CHECKSUM_BYTES + bytes.length);
      page.writeUInt32BE(crc32(bytes));
      page.set(bytes, CHECKSUM_BYTES);
      expectOwn(await run(WRITE_PAGE, [variant, number, LEASE_MS, pages++, page]));
    },
    async publish({ log, change }) {
      expectOwn(await run(PUBLISH_INDEX, [variant, number, String(log), String(change), pages]));
    },
    discard: async () => void (await run(DISCARD_INDEX, [variant, number, pages])),
  };
}

function expectOwn(reply: unknown): void {
  if (reply !== 1) {
    throw new MemoryError('CONFLICT', 'The namespace was cleared or compacted while its index was saved.');
  }
}
