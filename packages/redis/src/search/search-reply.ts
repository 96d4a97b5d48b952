import { LATIN_LANGUAGES, type LatinLanguage } from '@keepsake/search';
import type { Corpus, RemoteMatch } from '@keepsake/search/remote';
import { REPLY } from '../lua/records/replies.ts';
import { TURN_ENTRY } from '../lua/records/threads.ts';
import type { CorpusReply } from '../lua/search/corpus.ts';
import type { FoundDocumentsReply } from '../lua/search/find-documents.ts';
import { FOUND_DOCUMENT, FOUND_STATUS } from '../lua/search/neighbours.ts';
import type { FoundReply } from '../lua/search/search.ts';

/** What follows `REPLY.likely`. */
export type Likely = readonly [documents: Buffer, areAll: number];

/** The reply of `SEARCH`. */
export type SearchReply =
  | {
      readonly is: typeof REPLY.expired | typeof REPLY.busy | typeof REPLY.abandoned | typeof REPLY.fields;
    }
  | { readonly is: typeof REPLY.sections | typeof REPLY.filter; readonly state: Buffer }
  | { readonly is: typeof REPLY.likely; readonly likely: Likely }
  | { readonly is: typeof REPLY.passing; readonly documents: Buffer }
  | { readonly is: typeof REPLY.languages; readonly languages: readonly LatinLanguage[] }
  | ({ readonly is: typeof REPLY.found } & Found);

/** What may rank first. */
export interface FoundDocuments {
  readonly speakers: readonly string[];
  readonly matches: readonly RemoteMatch[];
  /** The document of each match; `undefined` for a turn that only counts as a step between others. */
  readonly documents: readonly (FoundDocument | undefined)[];
}

export interface FoundDocument {
  readonly document: number;
  /** The version that was found; `undefined` for a turn that is only near others. */
  readonly version: number | undefined;
}

export interface Found extends FoundDocuments {
  /** The worth of each word (group 0), and of each group of terms that are related to it (from 1 on). */
  readonly worths: readonly { readonly word: number; readonly group: number; readonly worth: number }[];
  /** How much the lengths of documents vary. */
  readonly variety: number;
}

/** The name of a speaker who is told apart from the user and the assistant, but from nobody else. */
const UNNAMED_SPEAKER = '?';

/** A turn that is neither found nor lends score, and only counts as a step between others. */
const STEP = { score: 0, held: 0, created: 0, passes: false, time: 0, flags: 0 };

export function readSearchReply([code, ...details]: readonly [code: string, ...details: unknown[]]): SearchReply {
  const is = code as SearchReply['is'];
  switch (is) {
    case REPLY.expired:
    case REPLY.busy:
    case REPLY.abandoned:
    case REPLY.fields:
      return { is };
    case REPLY.sections:
    case REPLY.filter:
      return { is, state: details[0] as Buffer };
    case REPLY.likely:
      return { is, likely: details as unknown as Likely };
    case REPLY.passing:
      return { is, documents: details[0] as Buffer };
    case REPLY.languages:
      return { is, languages: readLanguages(String(details[0])) };
    case REPLY.found: {
      const [documents, speakers, worths, variety] = details as FoundReply;
      const found = readFoundDocuments([documents, speakers]);
      return { is, ...found, worths: readWorths(worths), variety: Number(String(variety)) };
    }
  }
}

export function readFoundDocuments([documents, speakers]: FoundDocumentsReply): FoundDocuments {
  return readDocuments(documents, readSpeakers(speakers));
}

export function readCorpus([documents, total, squares, languages, speakers]: CorpusReply): Corpus {
  const counted = LATIN_LANGUAGES.map((language, n) => [language, Number(String(languages[n] ?? 0))] as const);
  return {
    lengths: { documents, total, squares },
    languages: new Map(counted.filter(([, count]) => count > 0)),
    speakers: new Map(readPairs(speakers).map(([name, turns]) => [String(name), Number(turns)])),
  };
}

function readLanguages(text: string): LatinLanguage[] {
  return text.split(',').filter((name) => LATIN_LANGUAGES.includes(name as LatinLanguage)) as LatinLanguage[];
}

function readWorths(list: FoundReply[2]): Found['worths'] {
  return Array.from({ length: list.length / 3 }, (_, n) => ({
    // Lua counts from 1.
    word: Number(list[3 * n]) - 1,
    group: Number(list[3 * n + 1]),
    worth: Number(String(list[3 * n + 2])),
  }));
}

function readSpeakers(list: FoundDocumentsReply[1]): Map<number, string> {
  return new Map(readPairs(list).map(([number, name]) => [Number(number), String(name)]));
}

function readPairs<T>(list: readonly T[]): (readonly [T, T])[] {
  return Array.from({ length: list.length / 2 }, (_, n) => [list[2 * n] as T, list[2 * n + 1] as T]);
}

function readDocuments(bytes: Buffer, speakers: ReadonlyMap<number, string>): FoundDocuments {
  const documents: (FoundDocument | undefined)[] = [];
  const matches: RemoteMatch[] = [];
  let run = 0;
  let step = 0;
  for (let at = 0; at < bytes.length; at += TURN_ENTRY.size + FOUND_DOCUMENT.size) {
    const entry = TURN_ENTRY.read(bytes, at);
    const found = FOUND_DOCUMENT.read(bytes, at + TURN_ENTRY.size);
    const match = {
      score: found.score,
      held: found.matched,
      created: entry.document,
      passes: (found.status & FOUND_STATUS.passes) !== 0,
      time: entry.time,
      flags: entry.textFlags,
    };
    if ((found.status & FOUND_STATUS.beginsRun) !== 0) {
      run++;
      step = found.step;
    }
    if ((found.status & FOUND_STATUS.noTurn) !== 0) matches.push(match);
    else {
      // To ranking, a run of neighbours is a conversation, and a step is an index.
      const thread = String(run);
      for (; step < found.step; step++) {
        documents.push(undefined);
        matches.push({ ...STEP, turn: { thread, index: step } });
      }
      matches.push({ ...match, turn: { thread, index: step++, ...speakerOf(entry.speaker, speakers) } });
    }
    documents.push({ document: entry.document, version: found.version === 0 ? undefined : found.version });
  }
  return { documents, matches, speakers: [...speakers.values()] };
}

function speakerOf(number: number, speakers: ReadonlyMap<number, string>): { speaker?: string } {
  return number === 0 ? {} : { speaker: speakers.get(number) ?? UNNAMED_SPEAKER };
}
