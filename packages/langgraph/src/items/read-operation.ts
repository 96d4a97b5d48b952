import type { RecordInput } from '@keepsake/core';
import { type Check, checkId, checkLifetime, expect, expectFields, expectWhole } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { fieldOf, readArgument } from '../arguments/read-argument.ts';
import { readNamespace } from '../arguments/read-namespace.ts';
import { type ItemTest, readFilter } from './item-filter.ts';
import { toRecord } from './item-record.ts';
import { matchNamespaces } from './match-namespaces.ts';
import type { Get, List, Put, Search } from './operations.ts';
import { readPaths } from './text-paths.ts';

/** A checked copy of an operation. */
export type PreparedOperation = PreparedGet | PreparedSearch | PreparedList | PreparedPut;

export interface PreparedGet {
  readonly kind: 'get';
  readonly namespace: readonly string[];
  readonly key: string;
  readonly refreshTtl: boolean | undefined;
}

export interface PreparedSearch {
  readonly kind: 'search';
  readonly prefix: readonly string[];
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  readonly passes: ItemTest | undefined;
  readonly refreshTtl: boolean | undefined;
}

interface PreparedList {
  readonly kind: 'list';
  readonly match: (namespaces: Iterable<readonly string[]>) => string[][];
}

export interface PreparedPut {
  readonly kind: 'put';
  readonly namespace: readonly string[];
  readonly key: string;
  /** `undefined` deletes the item. */
  readonly record: RecordInput | undefined;
}

/** What a store does where an operation says nothing. */
export interface PutDefaults {
  readonly fields: readonly string[];
  readonly ttlMs: number | undefined;
}

const DEFAULT_LIMIT = 10;

const GET: Fields<Get> = { namespace: 'anything', key: 'anything', refreshTtl: 'boolean' };
const PUT: Fields<Put> = {
  ...{ namespace: 'anything', key: 'anything', value: 'anything' },
  ...{ index: 'anything', ttlMs: 'anything' },
};
const SEARCH: Fields<Search> = {
  ...{ namespacePrefix: 'anything', filter: 'anything', query: 'string' },
  ...{ limit: 'anything', offset: 'anything', refreshTtl: 'boolean' },
};
const LIST: Fields<List> = {
  ...{ matchConditions: 'anything', maxDepth: 'anything' },
  ...{ limit: 'anything', offset: 'anything' },
};

type Fields<Operation> = Readonly<Record<keyof Operation, Check>>;

/**
 * Checks an operation and copies it, each field of which is read once.
 *
 * @param at - The path of the operation, such as `operations[2]`; '' for the arguments of a method.
 * @throws MemoryError `INVALID_ARGUMENT` or `TOO_LARGE`; LangGraph's `InvalidNamespaceError`.
 */
export function readOperation(operation: unknown, at: string, defaults: PutDefaults): PreparedOperation {
  return readArgument(at, () => {
    expect(isObject(operation), `\`${at}\` must be an object, such as { namespace: ['users', 'alice'], key: 'tea' }.`);
    // Not by the value: a put of `undefined` must not become a get.
    if ('value' in operation) return readPut(operation, at, defaults);
    if ('key' in operation || 'namespace' in operation) return readGet(operation, at);
    if ('namespacePrefix' in operation) return readSearch(operation, at);
    return { kind: 'list', match: matchNamespaces(expectFields(operation, at, LIST) as Partial<List>, at) };
  });
}

function readGet(operation: object, at: string): PreparedGet {
  const { namespace, key, refreshTtl } = expectFields(operation, at, GET) as Get;
  return { kind: 'get', ...readItem(namespace, key, at), refreshTtl };
}

function readPut(operation: object, at: string, { fields, ttlMs: defaultTtlMs }: PutDefaults): PreparedPut {
  const { namespace, key, value, index, ttlMs = defaultTtlMs } = expectFields(operation, at, PUT) as Put;
  const item = readItem(namespace, key, at);
  checkLifetime({ ttlMs });
  const isDefault = index === undefined || index === null;
  const searched = isDefault ? fields : index !== false && readPaths(index, fieldOf(at, 'index'));
  const record = value === null ? undefined : toRecord(item.key, value, fieldOf(at, 'value'), searched, ttlMs);
  return { kind: 'put', ...item, record };
}

function readItem(namespace: unknown, key: unknown, at: string) {
  const labels = readNamespace(namespace, fieldOf(at, 'namespace'), { allowReservedRoot: true });
  checkId(key, `\`${fieldOf(at, 'key')}\``);
  return { namespace: labels, key };
}

function readSearch(operation: object, at: string): PreparedSearch {
  const fields = expectFields(operation, at, SEARCH) as Search;
  const { namespacePrefix, query = '', limit = DEFAULT_LIMIT, offset = 0, filter, refreshTtl } = fields;
  const anywhere = { allowEmpty: true, allowReservedRoot: true };
  const prefix = readNamespace(namespacePrefix, fieldOf(at, 'namespacePrefix'), anywhere);
  expectWhole(limit, `\`${fieldOf(at, 'limit')}\``, 0);
  expectWhole(offset, `\`${fieldOf(at, 'offset')}\``, 0);
  const passes = readFilter(filter ?? undefined, fieldOf(at, 'filter'));
  return { kind: 'search', prefix, query, limit, offset, passes, refreshTtl };
}
