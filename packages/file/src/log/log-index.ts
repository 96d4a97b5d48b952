import { closeSync, fstatSync, openSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Pauses } from '@keepsake/internal';
import { fileModeIn, listFolder, openFile, READ, readBytes, writeAll } from '../disk/disk.ts';
import { indexedLog, indexName, temporaryName } from '../disk/file-names.ts';
import { type Fingerprint, isAt } from './fingerprint.ts';
import { IndexPages, PageWriter } from './index-pages.ts';
import { cutLines, encodeLine } from './log-line.ts';
import type { ReaderState } from './log-reader.ts';

/*
 * An index is the saved state of a view that had read a log up to an offset, so that the next process need not read all of
 * it again. It is a cache: if it is missing, damaged or of another log, the log is read.
 *
 * It is one line like those of a log, followed by pages of bytes that only the view understands, and reads when it needs them.
 * So the file stays open, even if another process replaces or removes it.
 */

/** Identifies an index in a folder. */
export interface IndexPlace {
  readonly folder: string;
  /** The number in the log's name. */
  readonly log: number;
  /** Identifies the index format of a view. */
  readonly variant: string;
}

export interface LogIndex extends IndexState {
  readonly pages: IndexPages;
}

interface IndexState {
  readonly state: ReaderState;
  /** The fingerprint of the last line that it covers. */
  readonly mark: Fingerprint;
}

/** An index to write. */
export interface NewIndex extends IndexState {
  readonly pieces: IndexPieces;
}

/** The bytes of an index, made in steps. Returns false if they are of no use. */
export type IndexPieces = Generator<Uint8Array | undefined, boolean>;

interface IndexHead {
  readonly keepsake: 'index';
  readonly version: 2;
  readonly state: ReaderState;
  readonly mark: { readonly offset: number; readonly bytes: string };
}

const HEAD_BYTES = 4096;

/**
 * Replaces the index atomically, and returns true, unless its pieces are of no use. Does not flush it: after a power cut, the
 * checksums show what is not complete.
 */
export async function writeIndex(
  { folder, log, variant }: IndexPlace,
  { state, mark, pieces }: NewIndex,
): Promise<boolean> {
  const pauses = new Pauses();
  const head: IndexHead = {
    keepsake: 'index',
    version: 2,
    state,
    mark: { offset: mark.offset, bytes: mark.bytes.toString('latin1') },
  };
  const temporary = join(folder, temporaryName());
  const file = openSync(temporary, 'ax', fileModeIn(folder));
  try {
    writeAll(file, Buffer.from(encodeLine(JSON.stringify(head))));
    const writer = new PageWriter(file);
    for (;;) {
      const { done, value } = pieces.next();
      if (done === true && value === false) return false;
      if (done === true) break;
      if (value !== undefined) writer.write(value);
      await pauses.afterStep();
    }
    writer.finish();
    // On another thread, because this frees the space of the index before.
    await rename(temporary, join(folder, indexName(log, variant)));
    return true;
  } finally {
    closeSync(file);
    rmSync(temporary, { force: true });
  }
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
  return line === undefined || head?.keepsake !== 'index' || head.version !== 2 ? undefined : { head, end: line.end };
}

/** The index, if it is whole and belongs to this log. Otherwise the log itself has everything. */
export function openIndex(place: IndexPlace, logFile: number): LogIndex | undefined {
  let file: number | undefined;
  try {
    file = openFile(join(place.folder, indexName(place.log, place.variant)), READ);
    const index = indexIn(file, logFile);
    if (index !== undefined) file = undefined;
    return index;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function indexIn(file: number, logFile: number): LogIndex | undefined {
  const storedHead = readHead(file);
  if (storedHead === undefined) return undefined;
  const { head, end } = storedHead;
  const mark = { offset: head.mark.offset, bytes: Buffer.from(head.mark.bytes, 'latin1') };
  if (!isAt(logFile, mark)) return undefined;
  const pages = IndexPages.open(file, end, fstatSync(file).size);
  return pages && { state: head.state, mark, pages };
}
