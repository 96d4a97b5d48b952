import { formatNamespace, type Namespace } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { sha256 } from '@keepsake/internal';
import { MAX_TEXT } from '../knowledge-base/attributes.ts';

/** The names of {@link ScopeOptions}. */
export const SCOPE_OPTIONS = ['namespace', 'scope', 'unscoped'] as const satisfies (keyof ScopeOptions)[];

/** The options that set the scope of a store. */
export interface ScopeOptions {
  /**
   * The namespace of the store. It is written with each document and required by each search, formatted by
   * `formatNamespace`.
   */
  readonly namespace?: Namespace | undefined;
  /** The scope as a string, such as `user-abc`, instead of `namespace`. */
  readonly scope?: string | undefined;
  /** `true` for a store that sees the documents of all scopes and adds documents without one. */
  readonly unscoped?: boolean | undefined;
}

/**
 * The scope of a store's documents; `undefined` for a store of all scopes (`unscoped: true`) or of documents without one.
 *
 * @param named - The options that are there, also those that are `undefined`.
 * @param mayBeMissing - Whether options without any scope mean the documents without a scope. `scope: undefined` never does,
 *   because it is usually a missing user id.
 * @throws MemoryError `INVALID_ARGUMENT` for a scope that is missing, empty or set twice.
 */
export function readScope(
  options: ScopeOptions,
  named: readonly (keyof ScopeOptions)[],
  mayBeMissing: boolean,
): string | undefined {
  if (named.length === 0 && mayBeMissing) return undefined;
  const chosenNames = named.filter((name) => options[name] !== undefined);
  expect(
    chosenNames.length > 0 || named.length === 0,
    `${named.map((name) => `\`${name}\``).join(' and ')} must not be undefined: a missing user must not see the memories of all users.`,
  );
  expect(
    chosenNames.length === 1,
    "Set the scope by one of `namespace: ['u', 'alice']`, `scope: 'user-abc'`, or `unscoped: true` for all scopes.",
  );
  const { namespace, scope, unscoped } = options;
  if (unscoped !== undefined) {
    expect(unscoped === true, '`unscoped` must be true or omitted.');
    return undefined;
  }
  expect(namespace !== undefined || typeof scope === 'string', '`scope` must be a string, such as user-abc.');
  const value = namespace === undefined ? (scope as string) : formatNamespace(namespace);
  expect(value.trim() !== '', 'The scope must not be empty. For the documents of all scopes, pass `unscoped: true`.');
  expect(
    value.isWellFormed() && !value.includes('\0'),
    'The scope must not contain a NUL character or a lone surrogate.',
  );
  expect(value.length <= MAX_TEXT, `The scope must have at most ${MAX_TEXT} characters, the limit of Bedrock.`);
  return value;
}

/**
 * The prefix of the ids of all documents in a scope. Deletion is by id, without a filter, so the id must show the scope for
 * a store to delete only its own documents.
 */
export async function idPrefix(scope: string | undefined): Promise<string> {
  if (scope === undefined) return 'unscoped-';
  return `${(await sha256(JSON.stringify(scope))).slice(0, 32)}-`;
}
