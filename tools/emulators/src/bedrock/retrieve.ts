import { LexicalIndex } from '@keepsake/search';
import { invalid } from './aws-failure.ts';
import type { DataSource, Indexed } from './data-source.ts';
import type { RetrieveBody } from './requests.ts';
import { passesRetrievalFilter } from './retrieval-filter.ts';

/** The kind of scores: higher is better, lower is better, or none. */
export type Scoring = 'similarity' | 'distance' | 'none';

export interface RetrievalRules {
  readonly type: string;
  readonly scoring: Scoring;
  /** The maximum number of results per page. */
  readonly pageSize: number;
}

/** The default number of results. */
const DEFAULT_RESULTS = 5;

/** Answers a search: the documents that match the filter and the access control, ranked by words. */
export function retrieve(sources: readonly DataSource[], body: RetrieveBody, rules: RetrievalRules): object {
  const { numberOfResults = DEFAULT_RESULTS, filter } = searchOf(body, rules.type) ?? {};
  if (filter !== undefined && rules.type === 'SQL') throw invalid('A structured data store takes no filter.');
  const index = new LexicalIndex();
  const documents = new Map<number, readonly [DataSource, string, Indexed]>();
  for (const source of sources) {
    for (const [id, document] of source.indexed()) {
      const mayPass = filter === undefined || passesRetrievalFilter(filter, document.attributes);
      if (mayPass && maySee(source, document, body.userContext?.userId)) {
        documents.set(index.add(document.text), [source, id, document]);
      }
    }
  }
  const hits = index.search(body.retrievalQuery.text, { limit: 100 });
  const start = readToken(body.nextToken, hits.length);
  const end = start + Math.min(numberOfResults, rules.pageSize);
  const results = hits.slice(start, end).map(({ document, score }) => {
    const [source, id, { text, attributes }] = documents.get(document) as readonly [DataSource, string, Indexed];
    return {
      content: { type: 'TEXT', text },
      location: locationOf(source, id),
      ...scoreOf(score, rules.scoring),
      metadata: attributes,
    };
  });
  return { retrievalResults: results, ...(end < hits.length ? { nextToken: `page-${end}` } : {}) };
}

function searchOf({ retrievalConfiguration = {} }: RetrieveBody, type: string) {
  const managed = 'managedSearchConfiguration' in retrievalConfiguration;
  const vector = 'vectorSearchConfiguration' in retrievalConfiguration;
  if (managed && type !== 'MANAGED') throw invalid('managedSearchConfiguration is for managed knowledge bases.');
  if (vector && type === 'MANAGED') throw invalid('A managed knowledge base takes managedSearchConfiguration.');
  if ('managedSearchConfiguration' in retrievalConfiguration) return retrievalConfiguration.managedSearchConfiguration;
  return 'vectorSearchConfiguration' in retrievalConfiguration
    ? retrievalConfiguration.vectorSearchConfiguration
    : undefined;
}

function maySee({ options }: DataSource, { access = [] }: Indexed, userId: string | undefined): boolean {
  if (!options.aclEnabled) return true;
  const own = access.filter(({ name }) => name === userId);
  return own.some((entry) => entry.access === 'ALLOW') && !own.some((entry) => entry.access === 'DENY');
}

function readToken(token: string | undefined, count: number): number {
  if (token === undefined) return 0;
  const start = Number(/^page-(\d+)$/.exec(token)?.[1]);
  if (!(start < count)) throw invalid('nextToken is not one that was given for this search.');
  return start;
}

function scoreOf(score: number, scoring: Scoring): object {
  if (scoring === 'none') return {};
  return { score: scoring === 'distance' ? 1 / (1 + score) : score / (1 + score) };
}

function locationOf({ options }: DataSource, id: string): object {
  return options.type === 'S3'
    ? { type: 'S3', s3Location: { uri: id } }
    : { type: 'CUSTOM', customDocumentLocation: { id } };
}
