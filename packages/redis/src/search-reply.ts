import { type HostedMatch, LATIN_LANGUAGES, type LatinLanguage } from '@keepsake/search';
import { readFlags } from './describe-document.ts';
import { unpackId } from './pack-id.ts';

/** What `SEARCH` answers. */
export type SearchReply =
  | { readonly is: 'DUE' }
  | { readonly is: 'HELD'; readonly languages: readonly LatinLanguage[] }
  | { readonly is: 'HITS'; readonly hits: readonly FoundRecord[] }
  | ({ readonly is: 'POOL' } & Pool);

export interface FoundRecord {
  readonly id: string;
  readonly stored: string;
  readonly score: number;
}

export interface Pool {
  /** The worth of each word, and of each group of what is related to it, from 1 on; 0 is the word itself. */
  readonly worths: readonly { readonly word: number; readonly group: number; readonly worth: number }[];
  readonly speakers: readonly string[];
  readonly matches: readonly HostedMatch[];
  /** Of each match. */
  readonly documents: readonly number[];
}

/** Of each document: 27 bytes of its place, its score (8), what it holds (4), its flags. */
const TOLD = 40;
const PASSES = 1;
const BEGINS = 2;
const NO_TURN = 4;

export function readSearchReply(reply: readonly unknown[]): SearchReply {
  const is = String(reply[0]);
  if (is === 'DUE') return { is };
  if (is === 'HELD') return { is, languages: readLanguages(String(reply[1])) };
  if (is === 'HITS') return { is, hits: readHits(reply.slice(1) as Buffer[]) };
  const [, worths, speakers, told] = reply as [Buffer, unknown[], unknown[], Buffer];
  return { is: 'POOL', worths: readWorths(worths), ...readTold(told, readSpeakers(speakers)) };
}

function readHits(list: readonly Buffer[]): FoundRecord[] {
  return Array.from({ length: list.length / 3 }, (_, hit) => ({
    id: unpackId(list[3 * hit] as Buffer),
    stored: String(list[3 * hit + 1]),
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
  const documents: number[] = [];
  const matches: HostedMatch[] = [];
  let run = 0;
  for (let at = 0; at < told.length; at += TOLD) {
    const document = told.readUInt32BE(at + 8);
    const flags = told.readUInt8(at + 39);
    if ((flags & BEGINS) !== 0) run++;
    const speaker = speakers.get(told.readUInt32BE(at + 13));
    const match = {
      score: told.readDoubleBE(at + 27),
      held: told.readUInt32BE(at + 35),
      born: document,
      passes: (flags & PASSES) !== 0,
    };
    const turn = {
      // A run of neighbours is a conversation, as far as ranking sees.
      thread: String(run),
      index: told.readDoubleBE(at),
      ...(speaker === undefined ? {} : { speaker }),
      time: told.readDoubleBE(at + 17),
      ...readFlags(told.readUInt8(at + 12)),
    };
    documents.push(document);
    matches.push((flags & NO_TURN) !== 0 ? match : { ...match, turn });
  }
  return { documents, matches, speakers: [...speakers.values()] };
}
