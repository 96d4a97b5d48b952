import type { MemoryEntry } from '@keepsake/core';
import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import {
  analyseAhead,
  type FoundWord,
  REMOTE_POOL,
  type RemoteHit,
  rankRemote,
  remoteQuery,
} from '@keepsake/search/remote';
import { REPLY } from '../lua/records/replies.ts';
import { SEARCH } from '../lua/search/search.ts';
import { fieldsFor, tryIndexing } from '../stores/field-index.ts';
import type { Records } from '../stores/records.ts';
import { awaitStaged } from '../stores/staged-batches.ts';
import { type Swept, trySweeping } from './expired-records.ts';
import { fetchEntries } from './fetch-entries.ts';
import { embedQuery, findNearest, type Meaning, withCosines } from './meaning.ts';
import { filterLikely, readPassing } from './passing-documents.ts';
import {
  type FindArguments,
  NO_STATE,
  PASSING_UNKNOWN,
  passingKnown,
  searchArguments,
  timeArguments,
} from './search-arguments.ts';
import { type Found, readSearchReply } from './search-reply.ts';

/** Searches the records, best first. */
export async function searchRecords(records: Records, search: RecordSearch): Promise<MemoryEntry[]> {
  const meaning = await compareMeaning(records, search);
  const searched = await findPool(records, search, meaning);
  const hits = rank(searched, search, meaning);
  const entries = await fetchEntries(records, search, searched.found, hits, searched.words);
  throwIfAborted(search.signal);
  return entries.filter((entry) => entry !== undefined);
}

async function compareMeaning(records: Records, search: RecordSearch): Promise<Meaning | undefined> {
  const { vectors } = records;
  const [vector] = await Promise.all([embedQuery(records, search), vectors?.update()]);
  throwIfAborted(search.signal);
  return vector && vectors?.compare(vector, search.signal);
}

interface Searched {
  readonly found: Found;
  /** The words of the query that any document holds, the highest worth first. */
  readonly words: readonly FoundWord[];
  readonly now: Date;
}

async function findPool(records: Records, search: RecordSearch, meaning: Meaning | undefined): Promise<Searched> {
  const { query, limit, rules, signal } = search;
  const { analysis } = records;
  const now = new Date();
  const size = Math.max(REMOTE_POOL.size, REMOTE_POOL.sizePerHit * limit);
  const times = timeArguments(query, now);
  const hasVector = meaning !== undefined;
  let swept: Swept = '';
  let nearest: Buffer | undefined;
  let passing = PASSING_UNKNOWN;
  let state: FindArguments['state'] = NO_STATE;
  // Another search can change those of the records in the meantime.
  let { languages } = records;
  let fields = fieldsFor(records.indexed, rules);
  for (;;) {
    nearest ??= await findNearest(records, search, { meaning, size, fields, holdsExpired: swept === 'not swept' });
    throwIfAborted(signal);
    await analyseAhead(query, records.language, languages);
    const words = remoteQuery(query, languages, records.language);
    const find = { analysis, swept, size, rules, fields, passing, state, hasVector, nearest, times };
    const run = (find: FindArguments) => records.runChecked(SEARCH, searchArguments(find, languages, words));
    const reply = readSearchReply(await run(find));
    throwIfAborted(signal);
    switch (reply.is) {
      case REPLY.languages:
        ({ languages } = reply);
        records.languages = languages;
        [passing, state] = [PASSING_UNKNOWN, NO_STATE];
        break;
      case REPLY.busy:
      case REPLY.abandoned:
        await awaitStaged(records, reply.is);
        await records.vectors?.update();
        nearest = undefined;
        break;
      case REPLY.filter:
        passing = await readPassing(records, search, { find: { ...find, state: reply.state }, words }, run);
        state = NO_STATE;
        break;
      case REPLY.likely:
        passing =
          (await filterLikely(records, search, find, reply.likely)) ??
          (await readPassing(records, search, { find, words }, run));
        state = NO_STATE;
        break;
      case REPLY.passing:
        [passing, state] = [passingKnown(reply.documents), NO_STATE];
        break;
      case REPLY.sections:
        ({ state } = reply);
        break;
      case REPLY.fields:
        fields = await tryIndexing(records, fields, signal);
        break;
      case REPLY.expired:
        swept = await trySweeping(records);
        // Expired vectors must no longer count for how near the others are.
        await records.vectors?.update();
        nearest = undefined;
        break;
      case REPLY.found: {
        const found = reply.worths.map(({ word, worth }) => ({ forms: words[word]?.forms ?? [], worth }));
        return { found: reply, words: found, now };
      }
    }
  }
}

function rank(
  { found, words, now }: Searched,
  { query, limit, minScore, explain }: RecordSearch,
  meaning: Meaning | undefined,
): RemoteHit[] {
  const { speakers, variety } = found;
  const matches = withCosines(found, meaning);
  return rankRemote(
    query,
    { words, matches, speakers, variety, cosines: meaning?.() },
    { limit, minScore, explain, now },
  );
}
