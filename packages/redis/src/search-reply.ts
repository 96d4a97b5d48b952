import { type HostedMatch, LATIN_LANGUAGES, type LatinLanguage } from '@keepsake/search';

/** The reply of `SEARCH`. */
export type SearchReply =
  | { readonly is: 'ANALYSIS'; readonly name: string }
  | { readonly is: 'DUE' }
  | { readonly is: 'HELD'; readonly languages: readonly LatinLanguage[] }
  | ({ readonly is: 'POOL' } & Pool);

export interface Pool {
  /** The worth of each word (group 0), and of each group of terms that are related to it (from 1 on). */
  readonly worths: readonly { readonly word: number; readonly group: number; readonly worth: number }[];
  readonly speakers: readonly string[];
  readonly matches: readonly HostedMatch[];
  /** The document of each match; `undefined` for a turn that is only a step between others. */
  readonly documents: readonly (number | undefined)[];
  /** How much the lengths of documents vary. */
  readonly variety: number;
}

/** The bytes of a document: its place (18), its step (4), its score (8), the words that it holds (4), its flags (1). */
const TOLD = 35;
const PASSES = 1;
const BEGINS = 2;
const NO_TURN = 4;

/** In the place of a speaker who is told apart from those with a role, but from nobody else. */
const SOMEBODY = '?';

export function readSearchReply(reply: readonly unknown[]): SearchReply {
  const is = String(reply[0]);
  if (is === 'ANALYSIS') return { is, name: String(reply[1]) };
  if (is === 'DUE') return { is };
  if (is === 'HELD') return { is, languages: readLanguages(String(reply[1])) };
  const [, worths, speakers, told, variety] = reply as [Buffer, unknown[], unknown[], Buffer, Buffer];
  const pool = readTold(told, readSpeakers(speakers));
  return { is: 'POOL', worths: readWorths(worths), variety: Number(String(variety)), ...pool };
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

function readTold(
  told: Buffer,
  speakers: ReadonlyMap<number, string>,
): Pick<Pool, 'documents' | 'matches' | 'speakers'> {
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
      matches.push({ ...STEP, turn: { thread: String(run), index: step } });
    }
    documents.push(told.readUInt32BE(at + 1));
    const match = readMatch(told, at);
    if (isTurn) matches.push({ ...match, turn: readTurn(told, at, run, step++, speakers) });
    else matches.push(match);
  }
  return { documents, matches, speakers: [...speakers.values()] };
}

/** A turn that is neither found nor lends score: it only counts as a step between others. */
const STEP = { score: 0, held: 0, born: 0, passes: false, time: 0, flags: 0 };

function readMatch(told: Buffer, at: number): HostedMatch {
  return {
    score: told.readDoubleBE(at + 22),
    held: told.readUInt32BE(at + 30),
    born: told.readUInt32BE(at + 1),
    passes: (told.readUInt8(at + 34) & PASSES) !== 0,
    time: told.readDoubleBE(at + 10),
    flags: told.readUInt8(at + 5),
  };
}

/** To ranking, a run of neighbours is a conversation, and a step is an index. */
function readTurn(told: Buffer, at: number, run: number, step: number, speakers: ReadonlyMap<number, string>) {
  const number = told.readUInt32BE(at + 6);
  return {
    thread: String(run),
    index: step,
    ...(number === 0 ? {} : { speaker: speakers.get(number) ?? SOMEBODY }),
  };
}
