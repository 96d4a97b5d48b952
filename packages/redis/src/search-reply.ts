import { type HostedMatch, LATIN_LANGUAGES, type LatinLanguage } from '@keepsake/search';
import { readFlags } from './describe-document.ts';
import { readRecord, type StoredRecord } from './stored-record.ts';

/** What `SEARCH` answers. */
export type SearchReply =
  | { readonly is: 'ANALYSIS'; readonly name: string }
  | { readonly is: 'DUE' }
  | { readonly is: 'HELD'; readonly languages: readonly LatinLanguage[] }
  | { readonly is: 'HITS'; readonly hits: readonly FoundRecord[] }
  | ({ readonly is: 'POOL' } & Pool);

export interface FoundRecord {
  readonly stored: StoredRecord;
  readonly score: number;
}

export interface Pool {
  /** The worth of each word, and of each group of what is related to it, from 1 on; 0 is the word itself. */
  readonly worths: readonly { readonly word: number; readonly group: number; readonly worth: number }[];
  readonly speakers: readonly string[];
  readonly matches: readonly HostedMatch[];
  /** Of each match; `undefined` for a turn that holds no word of the query. */
  readonly documents: readonly (number | undefined)[];
}

/** Of each document: its place (18 bytes), its step (4), its score (8), what it holds (4), its flags. */
const TOLD = 35;
const PASSES = 1;
const BEGINS = 2;
const NO_TURN = 4;

export function readSearchReply(reply: readonly unknown[]): SearchReply {
  const is = String(reply[0]);
  if (is === 'ANALYSIS') return { is, name: String(reply[1]) };
  if (is === 'DUE') return { is };
  if (is === 'HELD') return { is, languages: readLanguages(String(reply[1])) };
  if (is === 'HITS') return { is, hits: readHits(reply.slice(1)) };
  const [, worths, speakers, told] = reply as [Buffer, unknown[], unknown[], Buffer];
  return { is: 'POOL', worths: readWorths(worths), ...readTold(told, readSpeakers(speakers)) };
}

function readHits(list: readonly unknown[]): FoundRecord[] {
  return Array.from({ length: list.length / 3 }, (_, hit) => ({
    stored: readRecord(Number(list[3 * hit]), list[3 * hit + 1] as Buffer),
    score: Number(String(list[3 * hit + 2])),
  }));
}

function readLanguages(text: string): LatinLanguage[] {
  return text.split(',').filter((name) => LATIN_LANGUAGES.includes(name as LatinLanguage)) as LatinLanguage[];
}

function readWorths(list: readonly unknown[]): Pool['worths'] {
  return Array.from({ length: list.length / 3 }, (_, place) => ({
    // Lua counts from 1.
    word: Number(list[3 * place]) - 1,
    group: Number(list[3 * place + 1]),
    worth: Number(String(list[3 * place + 2])),
  }));
}

function readSpeakers(list: readonly unknown[]): Map<number, string> {
  return new Map(
    Array.from({ length: list.length / 2 }, (_, place) => [Number(list[2 * place]), String(list[2 * place + 1])]),
  );
}

function readTold(told: Buffer, speakers: ReadonlyMap<number, string>): Omit<Pool, 'worths'> {
  const documents: (number | undefined)[] = [];
  const matches: HostedMatch[] = [];
  let run = 0;
  let step = 0;
  for (let at = 0; at < told.length; at += TOLD) {
    const flags = told.readUInt8(at + 34);
    const isTurn = (flags & NO_TURN) === 0;
    if ((flags & BEGINS) !== 0) {
      run++;
      step = told.readUInt32BE(at + 18);
    }
    for (; isTurn && step < told.readUInt32BE(at + 18); step++) {
      documents.push(undefined);
      matches.push(leftOut(run, step));
    }
    step++;
    documents.push(told.readUInt32BE(at + 1));
    matches.push({ ...readMatch(told, at), ...(isTurn ? { turn: readTurn(told, at, run, step, speakers) } : {}) });
  }
  return { documents, matches, speakers: [...speakers.values()] };
}

/** A turn that holds no word of the query: it is never found, and only counts as a step. */
function leftOut(run: number, step: number): HostedMatch {
  const turn = { thread: String(run), index: step, time: 0, asks: false, speaksOfTime: false };
  return { score: 0, held: 0, born: 0, passes: true, turn };
}

function readMatch(told: Buffer, at: number): HostedMatch {
  return {
    score: told.readDoubleBE(at + 22),
    held: told.readUInt32BE(at + 30),
    born: told.readUInt32BE(at + 1),
    passes: (told.readUInt8(at + 34) & PASSES) !== 0,
  };
}

/** A run of neighbours is a conversation, as far as ranking sees, and a step an index. */
function readTurn(told: Buffer, at: number, run: number, step: number, speakers: ReadonlyMap<number, string>) {
  const speaker = speakers.get(told.readUInt32BE(at + 6));
  return {
    thread: String(run),
    index: step,
    ...(speaker === undefined ? {} : { speaker }),
    time: told.readDoubleBE(at + 10),
    ...readFlags(told.readUInt8(at + 5)),
  };
}
