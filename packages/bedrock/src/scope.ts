import { formatNamespace, type Namespace, sha256 } from '@keepsake/core';
import { MAX_TEXT } from './attributes.ts';
import { expect } from './expect.ts';

/** How a store is told what it may see. */
export interface ScopeOptions {
  /** The place of the store. `formatNamespace` of it is written with each document, and asked for in each search. */
  readonly namespace?: Namespace;
  /** The same as it is written, such as `user-abc`; instead of `namespace`. */
  readonly scope?: string;
  /** `true` for a store that sees the documents of all scopes, and writes such as have none. */
  readonly unscoped?: boolean;
}

/**
 * The value that the documents of a store have; `undefined` for a store of all scopes.
 *
 * @param openByDefault - Whether options that say nothing at all mean all scopes. A `scope: undefined` never does: it is
 *   what comes of a user who is missing.
 * @throws MemoryError `INVALID_ARGUMENT` for a scope that is missing, empty, or said twice.
 */
export function readScope(options: ScopeOptions, openByDefault: boolean): string | undefined {
  const named = (['namespace', 'scope', 'unscoped'] as const).filter((name) => name in options);
  if (named.length === 0 && openByDefault) return undefined;
  const given = named.filter((name) => options[name] !== undefined);
  expect(
    given.length > 0 || named.length === 0,
    `${named.join(' and ')} is undefined. A user who is missing must not see the memories of all.`,
  );
  expect(
    given.length === 1,
    "Say what the store may see by one of namespace: ['user', 'alice'], scope: 'user-abc', and unscoped: true for all.",
  );
  const { namespace, scope, unscoped } = options;
  if (unscoped !== undefined) {
    expect(unscoped === true, 'unscoped is to be true, or left out beside a namespace.');
    return undefined;
  }
  expect(namespace !== undefined || typeof scope === 'string', 'scope is to be a text, such as user-abc.');
  const value = namespace === undefined ? (scope as string) : formatNamespace(namespace);
  expect(value.trim() !== '', 'The scope is empty. For the documents of all scopes, say unscoped: true.');
  expect(value.isWellFormed() && !value.includes('\0'), 'The scope holds a NUL character or a lone surrogate.');
  expect(value.length <= MAX_TEXT, `The scope is over ${MAX_TEXT} characters, which is more than Bedrock takes.`);
  return value;
}

/**
 * Begins the ids of all documents of a scope. Documents are deleted by their ids, without a filter: so that no store can
 * delete those of another scope, an id says whose it is.
 */
export async function idPrefix(scope: string | undefined): Promise<string> {
  if (scope === undefined) return 'unscoped-';
  return `${(await sha256(JSON.stringify(scope))).slice(0, 32)}-`;
}
