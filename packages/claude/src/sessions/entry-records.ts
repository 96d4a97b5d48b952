import { MemoryError, type MemoryRecord, type RecordInput, type RecordStore } from '@keepsake/core';
import { encodeJson, expect, uuidv7 } from '@keepsake/core/adapter';
import { allItems, isObject } from '@keepsake/internal';
import type { TranscriptEntry } from './session-types.ts';

/*
 * Each entry is a record with its JSON. The id of the record follows from the `uuid` of the entry, so that an entry that is
 * appended again stays one entry in its place. JSON that is too long for a record goes on in further records of the batch.
 */

const ENTRY = 'entry:';
const MORE = 'more:';
/** As UTF-8, each character takes at most 3 bytes; a record holds 1 MiB. */
const PIECE = 256 * 1024;
/** Room for the rest of an id. */
const MAX_UUID = 480;
const PAGE = 200;

/** The records of entries, for one batch. */
export function entryRecords(entries: readonly TranscriptEntry[]): RecordInput[] {
  expect(Array.isArray(entries), '`entries` must be an array.');
  return entries.flatMap((entry, index) => {
    expect(isObject(entry), `\`entries[${index}]\` must be an object.`);
    const id = idOf(entry.uuid);
    const [first = '', ...more] = pieces(encodeJson(entry, `entries[${index}]`));
    return [
      { id: ENTRY + id, content: first, metadata: { more: more.length }, index: false },
      ...more.map((content, number) => ({ id: moreId(id, number), content, index: false })),
    ];
  });
}

/** Whether a record begins an entry. */
export function beginsEntry({ id }: MemoryRecord): boolean {
  return id.startsWith(ENTRY);
}

/** All entries of a transcript, in their order. @throws MemoryError `CORRUPT` if one is damaged. */
export async function readEntries(transcript: RecordStore): Promise<TranscriptEntry[]> {
  const heads: MemoryRecord[] = [];
  const more = new Map<string, string>();
  for await (const record of allItems((page) => transcript.list({ ...page, order: 'oldest' }), { limit: PAGE })) {
    if (beginsEntry(record)) heads.push(record);
    else if (record.id.startsWith(MORE)) more.set(record.id, record.content);
  }
  return heads.map(({ id, content, metadata }) => {
    const rest = Array.from(
      { length: Number(metadata.more) },
      (_, number) => more.get(moreId(id.slice(ENTRY.length), number)) ?? '',
    );
    return readEntry([content, ...rest].map((piece) => piece.slice(1)).join(''));
  });
}

function readEntry(json: string): TranscriptEntry {
  try {
    const entry: unknown = JSON.parse(json);
    if (isObject(entry)) return entry as TranscriptEntry;
  } catch {
    // Reported below: the error of the parser would quote the entry.
  }
  throw new MemoryError(
    'CORRUPT',
    'An entry of this transcript is damaged in the store. Restore a backup, or delete the session.',
  );
}

function idOf(uuid: unknown): string {
  const isId = typeof uuid === 'string' && uuid !== '' && uuid.length <= MAX_UUID && uuid.isWellFormed();
  return isId && !uuid.includes('\0') ? `uuid:${uuid}` : `line:${uuidv7()}`;
}

function moreId(id: string, number: number): string {
  return `${MORE}${number}:${id}`;
}

/** Cuts JSON between characters. Each piece begins with a mark, because a piece may be blank and a record may not. */
function pieces(json: string): string[] {
  const cut: string[] = [];
  for (let from = 0; from < json.length; ) {
    let to = Math.min(from + PIECE, json.length);
    if (!json.slice(from, to).isWellFormed()) to--;
    cut.push(`|${json.slice(from, to)}`);
    from = to;
  }
  return cut;
}
