import { closeSync, fstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fileModeIn, listFolder, openFile, READ, readBytes, writeAll } from '../disk/disk.ts';
import { indexedLog, indexName, temporaryName } from '../disk/file-names.ts';
import { Slices } from '../disk/slices.ts';
import { type Fingerprint, isAt } from './fingerprint.ts';
import { cutLines, encodeLine } from './log-line.ts';
import type { ReaderState } from './log-reader.ts';

/*
 * An index is the saved state of a view that had read a log up to an offset, so that the next process need not read all of
 * it again. It is a cache: if it is missing, damaged or of another log, the log is read.
 *
 * It is one line like those of a log, followed by bytes that only the view understands.
 */

/** Identifies an index in a folder. */
export interface IndexPlace {
  readonly folder: string;
  /** The number in the log's name. */
  readonly log: number;
  /** Identifies the index format of a view. */
  readonly variant: string;
}

export interface LogIndex {
  readonly state: ReaderState;
  /** The fingerprint of the last line that it covers. */
  readonly mark: Fingerprint;
  readonly bytes: Uint8Array;
}

/** An index to write. */
export interface NewIndex extends Pick<LogIndex, 'state' | 'mark'> {
  /** Its bytes, in order. */
  readonly pieces: readonly Uint8Array[];
}

interface IndexHead {
  readonly keepsake: 'index';
  readonly version: 1;
  readonly state: ReaderState;
  readonly mark: { readonly offset: number; readonly bytes: string };
  readonly length: number;
  readonly checksum: number;
}

const HEAD_BYTES = 4096;
const CHUNK_BYTES = 1024 * 1024;

/** Replaces the index atomically. Does not flush it: after a power cut, the checksum shows whether it is complete. */
export async function writeIndex(
  { folder, log, variant }: IndexPlace,
  { state, mark, pieces }: NewIndex,
): Promise<void> {
  const chunks = pieces.flatMap(cutIntoChunks);
  const slices = new Slices();
  let [length, checksum] = [0, 0];
  for (const chunk of chunks) {
    length += chunk.length;
    checksum = crc32(chunk, checksum);
    await slices.pause();
  }
  const head: IndexHead = {
    keepsake: 'index',
    version: 1,
    state,
    mark: { offset: mark.offset, bytes: mark.bytes.toString('latin1') },
    length,
    checksum,
  };
  const temporary = join(folder, temporaryName());
  const file = openSync(temporary, 'ax', fileModeIn(folder));
  try {
    writeAll(file, Buffer.from(encodeLine(JSON.stringify(head))));
    for (const chunk of chunks) {
      writeAll(file, chunk);
      await slices.pause();
    }
    renameSync(temporary, join(folder, indexName(log, variant)));
  } finally {
    closeSync(file);
    rmSync(temporary, { force: true });
  }
}

function cutIntoChunks(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES));
}

/** The offset in the log with this number up to which an index has read it; 0 without an index. */
export function indexedUpTo(folder: string, log: number): number {
  const ends = listFolder(folder).flatMap((name) => (indexedLog(name) === log ? headOf(join(folder, name)) : []));
  return Math.max(0, ...ends.map(({ state }) => state.position));
}

function headOf(path: string): IndexHead | [] {
  let file: number | undefined;
  try {
    file = openFile(path, READ);
    return readHead(file)?.head ?? [];
  } catch {
    return [];
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The first line of an index, if it is intact, and where it ends. */
function readHead(file: number): { readonly head: IndexHead; readonly end: number } | undefined {
  const [line] = cutLines(readBytes(file, 0, HEAD_BYTES), 0).pieces;
  const head = line?.json === undefined ? undefined : (JSON.parse(line.json) as IndexHead);
  return line === undefined || head?.keepsake !== 'index' || head.version !== 1 ? undefined : { head, end: line.end };
}

/** The index, if it is intact and belongs to this log. Otherwise the log itself has everything. */
export async function readIndex(place: IndexPlace, logFile: number): Promise<LogIndex | undefined> {
  let file: number | undefined;
  try {
    file = openFile(join(place.folder, indexName(place.log, place.variant)), READ);
    return await readOpenIndex(file, logFile);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

async function readOpenIndex(file: number, logFile: number): Promise<LogIndex | undefined> {
  const found = readHead(file);
  if (found === undefined) return undefined;
  const { head, end } = found;
  const mark = { offset: head.mark.offset, bytes: Buffer.from(head.mark.bytes, 'latin1') };
  if (!isAt(logFile, mark) || fstatSync(file).size !== end + head.length) return undefined;
  const bytes = Buffer.allocUnsafeSlow(head.length);
  const slices = new Slices();
  let checksum = 0;
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    const chunk = readBytes(file, end + from, Math.min(CHUNK_BYTES, bytes.length - from));
    checksum = crc32(chunk, checksum);
    bytes.set(chunk, from);
    await slices.pause();
  }
  return checksum === head.checksum ? { state: head.state, mark, bytes } : undefined;
}
