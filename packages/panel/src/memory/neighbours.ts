import type { MemoryRecord, RecordStore } from '@keepsake/core';
import type { RecordDetail } from '../protocol.ts';
import { recordRow } from './record-row.ts';

/** The utterances shown before and after one. */
const NEIGHBOURS = 3;
/** How many records are read to find those on one side, and in one page. */
const MAX_READ = 2_000;
const PAGE = 200;

/** How to list from an utterance on, back to the first or forth to the last. */
const SIDES = [
  { order: 'newest', time: 'lte', sign: -1 },
  { order: 'oldest', time: 'gte', sign: 1 },
] as const;

/** The utterances around one in its thread, in their order, itself included. */
export async function neighboursOf(
  store: RecordStore,
  record: MemoryRecord,
  namespace: string,
): Promise<RecordDetail['neighbours']> {
  const { enumerate, filter } = store.capabilities;
  if (record.turn === undefined || !enumerate || !filter) return [];
  const near = new Map<number, MemoryRecord>();
  for (const side of SIDES) await readSide(store, record, side, near);
  return [...near]
    .sort(([one], [other]) => one - other)
    .map(([index, one]) => ({ ...recordRow(one, namespace), index }));
}

async function readSide(
  store: RecordStore,
  { turn, source, createdAt }: MemoryRecord,
  { order, time, sign }: (typeof SIDES)[number],
  near: Map<number, MemoryRecord>,
): Promise<void> {
  const [index, conversation] = [turn?.index ?? 0, source?.conversation];
  // Stores can't filter by the thread of a turn. Without a conversation, what was said nearby is near in time as well.
  const filter = {
    createdAt: { [time]: createdAt },
    ...(conversation !== undefined && { 'source.conversation': conversation }),
  };
  let [read, isPast, cursor]: [number, boolean, string | undefined] = [0, false, undefined];
  do {
    const page = await store.list({ order, filter, limit: PAGE, cursor });
    for (const one of page.items) {
      if (one.turn === undefined || one.turn.thread !== turn?.thread) continue;
      if (Math.abs(one.turn.index - index) <= NEIGHBOURS) near.set(one.turn.index, one);
      isPast ||= (one.turn.index - index) * sign > NEIGHBOURS;
    }
    read += page.items.length;
    cursor = page.cursor;
  } while (!isPast && cursor !== undefined && read < MAX_READ);
}
