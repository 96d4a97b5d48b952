import { checkIdentity, expect, expectKnownFields, type FieldNames, guarded, readList } from '@keepsake/core/adapter';
import { copyRetrievalFilter, type RetrievalFilter } from './filters/retrieval-filter.ts';
import { readScope, SCOPE_OPTIONS, type ScopeOptions } from './filters/scope.ts';
import type { AccessControlEntry } from './knowledge-base/attributes.ts';
import { type BedrockConnection, checkConnection } from './knowledge-base/connection.ts';
import { KnowledgeBase } from './knowledge-base/knowledge-base.ts';

/** Options of {@link BedrockKnowledgeBaseStore}. */
export interface BedrockKnowledgeBaseStoreOptions extends ScopeOptions {
  /** The name of the store, unique among the stores of an agent. */
  readonly name: string;
  /** What the store contains, for people and models. */
  readonly description?: string | undefined;
  /**
   * Whether the store accepts writes.
   *
   * @default false
   */
  readonly writable?: boolean | undefined;
  /**
   * The default limit of a search, up to 100.
   *
   * @default 10
   */
  readonly maxSearchResults?: number | undefined;
  /** Whether and how a manager extracts memories from conversations into this store: `true`, or settings of that manager. */
  readonly extraction?: boolean | object | undefined;
  /** The knowledge base. Stores with the same connection object share its clients. */
  readonly connection?: BedrockConnection | undefined;
  /** The same under the name that the Strands SDK uses. A store without a scope then sees only documents without one. */
  readonly config?: BedrockConnection | undefined;
  /** Narrows every search further, in the filter syntax of the service. It never widens the scope. */
  readonly filter?: RetrievalFilter | undefined;
  /** Drops results with a lower score, for knowledge bases in which higher is better. */
  readonly minScore?: number | undefined;
  /** Drops results with a higher score, for knowledge bases that score by distance; entries then have no `score`. */
  readonly maxScore?: number | undefined;
  /** The users who may see this store's documents, for data sources with access control. */
  readonly accessControlList?: readonly AccessControlEntry[] | undefined;
  /** The user who searches such a data source, which returns nothing without it. You must have authenticated the user. */
  readonly userContext?: { readonly userId: string } | undefined;
}

const OPTIONS: FieldNames<BedrockKnowledgeBaseStoreOptions> = {
  name: true,
  description: true,
  writable: true,
  maxSearchResults: true,
  extraction: true,
  connection: true,
  config: true,
  namespace: true,
  scope: true,
  unscoped: true,
  filter: true,
  minScore: true,
  maxScore: true,
  accessControlList: true,
  userContext: true,
};

/** Validated and copied options. */
export interface Settings {
  readonly identity: Pick<BedrockKnowledgeBaseStoreOptions, 'name'>;
  readonly writable: boolean;
  readonly base: KnowledgeBase;
  readonly scopeKey: string;
  readonly scope: string | undefined;
  /** Whether it sees the documents of all scopes. */
  readonly unscoped: boolean;
  readonly filter: RetrievalFilter | undefined;
  readonly minScore: number | undefined;
  readonly maxScore: number | undefined;
  readonly accessControlList: readonly AccessControlEntry[] | undefined;
  readonly userContext: { readonly userId: string } | undefined;
}

/** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
export function readOptions(rawOptions: BedrockKnowledgeBaseStoreOptions): Settings {
  expect(
    typeof rawOptions === 'object' && rawOptions !== null,
    '`options` must be an object, such as { name, connection, namespace }.',
  );
  const options = expectKnownFields(rawOptions, OPTIONS);
  const { name, description, writable, maxSearchResults, extraction } = options;
  const { config, connection = config, filter, minScore, maxScore } = options;
  expect(
    config === undefined || options.connection === undefined,
    '`config` is another name for `connection`: pass only one of them.',
  );
  expect(writable === undefined || typeof writable === 'boolean', '`writable` must be true or false.');
  expect(minScore === undefined || Number.isFinite(minScore), '`minScore` must be a finite number.');
  expect(maxScore === undefined || Number.isFinite(maxScore), '`maxScore` must be a finite number.');
  expect(
    minScore === undefined || maxScore === undefined,
    '`minScore` is for scores, `maxScore` for distances: pass only one of them.',
  );
  expect(maxSearchResults === undefined || maxSearchResults <= 100, '`maxSearchResults` must be from 1 to 100.');
  const checked = checkConnection(connection, writable ?? false);
  const scopes = guarded('The options', () => SCOPE_OPTIONS.filter((name) => name in rawOptions));
  return {
    identity: { ...checkIdentity({ name: name ?? '', description, maxSearchResults, extraction }), name },
    writable: writable ?? false,
    base: KnowledgeBase.of(connection as BedrockConnection, checked),
    scopeKey: checked.scopeMetadataKey ?? 'namespace',
    scope: readScope(options, scopes, config !== undefined),
    unscoped: options.unscoped ?? false,
    filter: filter === undefined ? undefined : copyRetrievalFilter(filter),
    minScore,
    maxScore,
    accessControlList: copyAccessControl(options.accessControlList),
    userContext: copyUser(options.userContext),
  };
}

const ACCESS_CONTROL_ENTRY: FieldNames<AccessControlEntry> = { access: true, name: true, type: true };

function copyAccessControl(list: readonly AccessControlEntry[] | undefined): readonly AccessControlEntry[] | undefined {
  if (list === undefined) return undefined;
  const must = '`accessControlList` must be an array with at least one entry, or omitted.';
  const entries = readList(list, '`accessControlList`', must);
  expect(entries.length > 0, must);
  return entries.map((entry) => {
    const { access, name, type } = expectKnownFields(entry, ACCESS_CONTROL_ENTRY, 'accessControlList');
    expect(
      access === 'ALLOW' || access === 'DENY',
      "`access` in an `accessControlList` entry must be 'ALLOW' or 'DENY'.",
    );
    expect(
      [name, type].every((text) => typeof text === 'string' && text !== ''),
      'An `accessControlList` entry requires a `name` and a `type`.',
    );
    return { access, name, type };
  });
}

function copyUser(user: { readonly userId: string } | undefined): { readonly userId: string } | undefined {
  if (user === undefined) return undefined;
  const { userId } = expectKnownFields(user, { userId: true }, 'userContext');
  expect(
    typeof userId === 'string' && userId !== '',
    '`userContext` must be { userId }, the email address of the user.',
  );
  return { userId };
}
