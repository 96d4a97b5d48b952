import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import type { Corpus, Pool, PoolQuery, RemoteWord, SearchPlace } from '@keepsake/search/remote';
import type { ScriptArgument } from '../client/redis-client.ts';
import { REPLY } from '../lua/records/replies.ts';
import { CORPUS, COUNTS, type CorpusReply } from '../lua/search/corpus.ts';
import type { FoundDocumentsReply } from '../lua/search/find-documents.ts';
import { POOL } from '../lua/search/search.ts';
import { fieldsFor, tryIndexing } from '../stores/field-index.ts';
import type { Records } from '../stores/records.ts';
import { awaitStaged } from '../stores/staged-batches.ts';
import { type Swept, trySweeping } from './expired-records.ts';
import { fetchEntries } from './fetch-entries.ts';
import { findNearest, type Meaning, withCosines } from './meaning.ts';
import { filterLikely, readPassing } from './passing-documents.ts';
import {
  type FindArguments,
  NO_STATE,
  PASSING_UNKNOWN,
  passingKnown,
  poolArguments,
  wordArguments,
} from './search-arguments.ts';
import { type FoundDocuments, type Likely, readCorpus, readFoundDocuments } from './search-reply.ts';

/** A search of several namespaces, with what they share. */
interface TreeSearch extends RecordSearch {
  /** See `timeArguments`. */
  readonly times: readonly ScriptArgument[];
  /** The vector of the query, if there is an embedder. */
  readonly vector: Float32Array | undefined;
}

/** A namespace that is searched together with others. */
export class RedisPlace implements SearchPlace {
  readonly #records: Records;
  readonly #search: TreeSearch;
  #meaning: Meaning | undefined;
  #swept: Swept = '';

  constructor(records: Records, search: TreeSearch) {
    this.#records = records;
    this.#search = search;
  }

  async corpus(): Promise<Corpus> {
    const corpus = await this.#readCorpus();
    const { vector, signal } = this.#search;
    this.#meaning = vector && (await this.#records.vectors?.compare(vector, signal));
    return { ...corpus, cosines: this.#meaning?.() };
  }

  async counts(words: readonly RemoteWord[]): Promise<number[][]> {
    return (await this.#records.run(COUNTS, wordArguments(words))) as number[][];
  }

  async pool(query: PoolQuery): Promise<Pool> {
    const records = this.#records;
    const search = this.#search;
    const { rules, times } = search;
    const { size } = query;
    const fields = fieldsFor(records.indexed, rules);
    const holdsExpired = this.#swept === 'not swept';
    const nearest = await findNearest(records, search, { meaning: this.#meaning, size, fields, holdsExpired });
    const find: FindArguments = {
      analysis: records.analysis,
      // To remove records now would change the statistics that the worths follow from. Expired ones are left out.
      swept: 'not swept',
      size,
      rules,
      fields,
      passing: PASSING_UNKNOWN,
      state: NO_STATE,
      hasVector: this.#meaning !== undefined,
      nearest,
      times,
    };
    const found = await this.#findDocuments(find, query);
    return {
      matches: withCosines(found, this.#meaning),
      entries: (hits, words) => fetchEntries(records, search, found, hits, words),
    };
  }

  async #findDocuments(find: FindArguments, query: PoolQuery): Promise<FoundDocuments> {
    const records = this.#records;
    const search = this.#search;
    const run = (find: FindArguments) => records.runChecked(POOL, poolArguments(find, query));
    for (let known = find; ; ) {
      const [code, ...reply] = await run(known);
      throwIfAborted(search.signal);
      switch (code) {
        case REPLY.found:
          return readFoundDocuments(reply as FoundDocumentsReply);
        case REPLY.sections:
          known = { ...known, state: reply[0] as Buffer };
          break;
        case REPLY.passing:
          known = { ...known, passing: passingKnown(reply[0] as Buffer), state: NO_STATE };
          break;
        case REPLY.likely:
        case REPLY.filter: {
          const passing =
            (code === REPLY.likely && (await filterLikely(records, search, known, reply as unknown as Likely))) ||
            (await readPassing(records, search, { find: known, words: query.words }, run));
          known = { ...known, passing, state: NO_STATE };
          break;
        }
        case REPLY.fields:
          known = { ...known, fields: await tryIndexing(records, known.fields, search.signal) };
          break;
        default:
          await awaitStaged(records, code);
      }
    }
  }

  /** Updates the copy of the vectors, too. If records have expired, first tries to remove them. */
  async #readCorpus(): Promise<Corpus> {
    const records = this.#records;
    for (;;) {
      const [[code, ...reply]] = await Promise.all([
        records.runChecked(CORPUS, [records.analysis, this.#swept]),
        records.vectors?.update(),
      ]);
      if (code === REPLY.found) return readCorpus(reply as CorpusReply);
      if (code === REPLY.expired) this.#swept = await trySweeping(records);
      else await awaitStaged(records, code);
      throwIfAborted(this.#search.signal);
    }
  }
}
