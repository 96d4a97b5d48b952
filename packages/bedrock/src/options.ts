import type { AccessControlEntry } from './attributes.ts';
import { type BedrockConnection, checkConnection } from './connection.ts';
import { expect } from './expect.ts';
import { copyRetrievalFilter, type RetrievalFilter } from './retrieval-filter.ts';
import { readScope, type ScopeOptions } from './scope.ts';

/** How to open a `BedrockKnowledgeBaseStore`. */
export interface BedrockKnowledgeBaseStoreOptions extends ScopeOptions {
  /** Tells the store from an agent's others. */
  readonly name: string;
  /** What it holds, for people and models. */
  readonly description?: string;
  /** Whether it takes writes. By default false. */
  readonly writable?: boolean;
  /** How many entries a search gives when the caller doesn't say, up to 100. By default 10. */
  readonly maxSearchResults?: number;
  /** Whether and how a manager feeds conversations to it: `true`, or the settings of that manager. */
  readonly extraction?: boolean | object;
  /** The knowledge base. Build it once: stores that are given the same object share its clients. */
  readonly connection?: BedrockConnection;
  /** The same, as the Strands SDK calls it. As there, a store that is given no scope is then one of all scopes. */
  readonly config?: BedrockConnection;
  /** Narrows every search further, in the words of the service. It never lifts the scope. */
  readonly filter?: RetrievalFilter;
  /** Leaves out results of a lower score, for knowledge bases where more is better. */
  readonly minScore?: number;
  /** Leaves out results of a higher score, for knowledge bases that score by distance; entries have no `score` then. */
  readonly maxScore?: number;
  /** Who may see what this store adds, for data sources that are aware of access control. */
  readonly accessControlList?: readonly AccessControlEntry[];
  /** Who is searching, for such data sources: without it they give nothing. The caller is to have verified it. */
  readonly userContext?: { readonly userId: string };
}

/** Options that were checked and copied. */
export interface Settings {
  readonly connection: BedrockConnection;
  readonly scopeKey: string;
  readonly scope: string | undefined;
  readonly filter: RetrievalFilter | undefined;
  readonly minScore: number | undefined;
  readonly maxScore: number | undefined;
  readonly accessControlList: readonly AccessControlEntry[] | undefined;
  readonly userContext: { readonly userId: string } | undefined;
}

/** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. */
export function readOptions(options: BedrockKnowledgeBaseStoreOptions): Settings {
  expect(
    typeof options === 'object' && options !== null,
    'A store needs options, such as { name, connection, namespace }.',
  );
  const { config, connection = config, writable, maxSearchResults, filter, minScore, maxScore } = options;
  expect(
    config === undefined || options.connection === undefined,
    'config is another name of connection: give one of them.',
  );
  expect(writable === undefined || typeof writable === 'boolean', 'writable is to be true or false.');
  expect(minScore === undefined || Number.isFinite(minScore), 'minScore is to be a finite number.');
  expect(maxScore === undefined || Number.isFinite(maxScore), 'maxScore is to be a finite number.');
  expect(
    minScore === undefined || maxScore === undefined,
    'minScore is for scores, maxScore for distances: give one of them.',
  );
  expect(maxSearchResults === undefined || maxSearchResults <= 100, 'maxSearchResults is to be from 1 to 100.');
  const checked = checkConnection(connection, writable ?? false);
  return {
    connection: checked,
    scopeKey: checked.scopeMetadataKey ?? 'namespace',
    scope: readScope(options, config !== undefined),
    filter: filter === undefined ? undefined : copyRetrievalFilter(filter),
    minScore,
    maxScore,
    accessControlList: copyAccessControl(options.accessControlList),
    userContext: copyUser(options.userContext),
  };
}

function copyAccessControl(list: readonly AccessControlEntry[] | undefined): readonly AccessControlEntry[] | undefined {
  if (list === undefined) return undefined;
  expect(
    Array.isArray(list) && list.length > 0,
    'accessControlList is to be a list of at least one entry, or left out.',
  );
  return list.map(({ access, name, type }: AccessControlEntry) => {
    expect(access === 'ALLOW' || access === 'DENY', "The access of an accessControlList is to be 'ALLOW' or 'DENY'.");
    expect(
      [name, type].every((text) => typeof text === 'string' && text !== ''),
      'An entry of an accessControlList needs a name and a type.',
    );
    return { access, name, type };
  });
}

function copyUser(user: { readonly userId: string } | undefined): { readonly userId: string } | undefined {
  if (user === undefined) return undefined;
  expect(
    typeof user?.userId === 'string' && user.userId !== '',
    'userContext is to be { userId }, the address of the user.',
  );
  return { userId: user.userId };
}
