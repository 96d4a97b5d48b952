import { joinRuns, type RemoteMatch } from '@keepsake/search/remote';
import { fromStorable } from '../database/storable-text.ts';

import type { FoundRow, PoolRow, SearchRow } from './search-statement.ts';

export interface Matches {
  readonly matches: readonly RemoteMatch[];
  /** The record of each match; `undefined` for a turn that only separates others. */
  readonly records: readonly (FoundRecord | undefined)[];
}

export interface FoundRecord {
  readonly seq: number;
  /** The version that was found. */
  readonly version: number;
}

/** Ranking has a bit for each word in a 32-bit number. */
const MOST_HELD = 31;

/** @param features - The indexes of the features by falling worth, which is the order of the bits of `held`. */
export function readMatches(row: SearchRow | undefined, features: readonly number[]): Matches {
  const bits = new Map(features.slice(0, MOST_HELD).map((feature, bit) => [feature, 1 << bit]));
  const rows = new Map((JSON.parse(row?.found ?? '[]') as FoundRow[]).map((found) => [found[0], found]));
  const runs = joinRuns(JSON.parse(row?.pool ?? '[]') as PoolRow[]);
  const found = runs.flatMap((run, thread) =>
    run.map((seq, index) => {
      const row = rows.get(seq);
      const turn = { thread: `${thread}`, index };
      if (row === undefined) return { match: { ...STEP, turn } };
      return { match: readMatch(row, turn, bits), record: { seq, version: row[9] } };
    }),
  );
  return { matches: found.map(({ match }) => match), records: found.map(({ record }) => record) };
}

/** A turn that is no result and lends no score. It only separates others in the conversation. */
const STEP = { score: 0, held: 0, created: 0, passes: false, time: 0, flags: 0 };

/** The position of a turn for ranking, which sees each run of neighbours as a conversation of its own. */
interface RunTurn {
  readonly thread: string;
  readonly index: number;
}

function readMatch(
  [seq, score, held, passes, thread, speaker, time, flags, cosine]: FoundRow,
  turn: RunTurn,
  bits: ReadonlyMap<number, number>,
): RemoteMatch {
  const who = speaker === null ? {} : { speaker: fromStorable(speaker) };
  return {
    score,
    held: (held ?? []).reduce((all, feature) => all | (bits.get(feature) ?? 0), 0),
    created: seq,
    passes: passes === 1,
    time,
    flags,
    ...(cosine === null ? {} : { cosine }),
    ...(thread === null ? {} : { turn: { ...turn, ...who } }),
  };
}
