import { isMemoryError, type MemoryErrorCode } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { type BedrockConnection, BedrockKnowledgeBaseStore } from '../src/index.ts';
import { setup } from './harness.ts';

const connection: BedrockConnection = { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' };
const namespace = ['u', 'alice'];

/** Opens a store with untyped options, as from JavaScript. */
function open(options: object): BedrockKnowledgeBaseStore {
  return new BedrockKnowledgeBaseStore({ name: 'facts', connection, namespace, ...options });
}

function codeOf(call: () => unknown): MemoryErrorCode | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    expect(error.message).toMatch(/\w/);
    return error.code;
  }
}

describe('scopes', () => {
  it.each([
    ['an empty namespace', { namespace: [] }],
    ['an empty segment', { namespace: ['user', ''] }],
    ['a missing user', { namespace: undefined }],
    ['an empty scope', { namespace: undefined, scope: '' }],
    ['a scope', { scope: 'u:alice' }],
    ['unscoped', { unscoped: true }],
    ['unscoped: false', { unscoped: false }],
  ])('are refused with %s', (_, options) => {
    expect(codeOf(() => open(options))).toBe('INVALID_ARGUMENT');
  });

  it.each([
    ['no scope option', {}],
    ['an empty string', { scope: '' }],
    ['blanks', { scope: ' \n' }],
    ['a missing user', { scope: undefined }],
    ['a value that is not a string', { scope: 7 }],
    ['NUL', { scope: 'a\0' }],
    ['a lone surrogate', { scope: '\ud800' }],
    ['more characters than Bedrock supports', { scope: 'a'.repeat(2049) }],
    ['unscoped: false', { unscoped: false }],
    ['an undefined unscoped', { unscoped: undefined }],
  ])('are closed by default: %s is refused', (_, options) => {
    const call = () => new BedrockKnowledgeBaseStore({ name: 'facts', connection, ...(options as object) });
    expect(codeOf(call)).toBe('INVALID_ARGUMENT');
  });

  it('are formatted namespaces, and can be passed as strings', () => {
    expect(open({}).scope).toBe('u:alice');
    expect(open({ namespace: ['user', 'a:b/c%'] }).scope).toBe('user:a%3Ab%2Fc%25');
    expect(new BedrockKnowledgeBaseStore({ name: 'facts', connection, scope: 'user-abc' }).scope).toBe('user-abc');
    expect(new BedrockKnowledgeBaseStore({ name: 'facts', connection, unscoped: true }).scope).toBeUndefined();
  });

  it('may be omitted with the `config` of Strands, but not be undefined', () => {
    expect(new BedrockKnowledgeBaseStore({ name: 'facts', config: connection }).scope).toBeUndefined();
    const missing = { scope: undefined } as object;
    expect(codeOf(() => new BedrockKnowledgeBaseStore({ name: 'facts', config: connection, ...missing }))).toBe(
      'INVALID_ARGUMENT',
    );
  });
});

describe('writable', () => {
  it('is false by default, and only allowed for CUSTOM and S3 sources', () => {
    expect(open({}).writable).toBe(false);
    expect(open({ writable: true }).writable).toBe(true);
    const s3 = { bucket: 'memories', prefix: '' };
    expect(open({ writable: true, connection: { ...connection, dataSourceType: 'S3', s3 } }).writable).toBe(true);
    expect(open({ connection: { knowledgeBaseId: 'KB123', dataSourceType: 'OTHER' } }).writable).toBe(false);
  });

  it.each([
    ['a source of another type', { ...connection, dataSourceType: 'OTHER' }],
    ['a source without a type', { knowledgeBaseId: 'KB123', dataSourceId: 'DS456' }],
    ['no source', { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM' }],
    ['an S3 source without a bucket', { ...connection, dataSourceType: 'S3' }],
  ])('is refused by the constructor with %s', (_, connection) => {
    expect(codeOf(() => open({ writable: true, connection }))).toBe('INVALID_ARGUMENT');
    expect(codeOf(() => open({ writable: false, connection }))).toBeUndefined();
  });

  it('is checked by every write', async () => {
    const { store, emulator } = await setup();
    const { documentId } = await store().add('Likes tea');
    const reader = store({ writable: false });
    await expect(reader.add('Likes coffee')).rejects.toMatchObject({ code: 'READ_ONLY' });
    await expect(reader.delete(documentId)).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect([...emulator.indexed('DS456').values()]).toEqual(['Likes tea']);
  });
});

describe('options', () => {
  it.each([
    ['no options', undefined],
    ['no connection', { connection: undefined }],
    ['two connections', { config: connection }],
    ['an invalid id of a base', { connection: { ...connection, knowledgeBaseId: '../KB' } }],
    ['an empty id of a base', { connection: { ...connection, knowledgeBaseId: '' } }],
    ['an invalid id of a source', { connection: { ...connection, dataSourceId: 'DS/1' } }],
    ['an unknown type of source', { connection: { ...connection, dataSourceType: 'WEB' } }],
    ['an unknown type of base', { connection: { ...connection, knowledgeBaseType: 'GRAPH' } }],
    ['an empty scope key', { connection: { ...connection, scopeMetadataKey: '' } }],
    ['a scope key that is too long for filters', { connection: { ...connection, scopeMetadataKey: 'k'.repeat(101) } }],
    ['an invalid client', { connection: { ...connection, agentClient: {} } }],
    ['a bucket without a name', { connection: { ...connection, s3: { bucket: '', prefix: '' } } }],
    ['a bucket without a prefix', { connection: { ...connection, s3: { bucket: 'memories' } } }],
    ['a blank name', { name: ' ' }],
    ['minScore and maxScore', { minScore: 0.5, maxScore: 0.6 }],
    ['a minScore that is not a number', { minScore: Number.NaN }],
    ['more results than Bedrock returns', { maxSearchResults: 101 }],
    ['no results', { maxSearchResults: 0 }],
    ['a writable that is not a boolean', { writable: 'yes' }],
    ['an empty access control list', { accessControlList: [] }],
    ['an entry without a name', { accessControlList: [{ access: 'ALLOW', name: '', type: 'USER' }] }],
    [
      'an entry that neither allows nor denies',
      { accessControlList: [{ access: 'MAYBE', name: 'a@b.c', type: 'USER' }] },
    ],
    ['a user without an id', { userContext: {} }],
  ])('with %s are refused', (_, options) => {
    const call = () => (options === undefined ? new BedrockKnowledgeBaseStore(options as never) : open(options));
    expect(codeOf(call)).toBe('INVALID_ARGUMENT');
  });

  it.each([
    ['an unknown operator', { matches: { key: 'topic', value: 'tea' } }],
    ['two operators', { equals: { key: 'a', value: 1 }, notEquals: { key: 'b', value: 1 } }],
    ['no operator', {}],
    ['a missing value', { equals: { key: 'user', value: undefined } }],
    ['a missing nested value', { andAll: [{ equals: { key: 'a', value: 1 } }, { equals: { key: 'user' } }] }],
    ['no key', { equals: { value: 1 } }],
    ['a list of one', { orAll: [{ equals: { key: 'a', value: 1 } }] }],
    ['an empty list of values', { in: { key: 'a', value: [] } }],
    ['a value that is not finite', { greaterThan: { key: 'a', value: Number.NaN } }],
    ['null', null],
    ['a list', []],
  ])('with a filter of %s are refused', (_, filter) => {
    expect(codeOf(() => open({ filter }))).toBe('INVALID_ARGUMENT');
  });

  it('are copied with the connection, so later changes affect only new stores', async () => {
    const { store, connection, emulator } = await setup();
    const changing = { ...connection, dataSourceId: 'DS456' };
    const facts = store({ connection: changing });
    changing.dataSourceId = 'DS789';
    await facts.add('Likes tea');
    expect(emulator.indexed('DS456').size).toBe(1);
    await expect(store({ connection: changing }).add('Likes tea')).rejects.toMatchObject({ code: 'BACKEND' });
  });

  it('are copied, so later changes by the caller have no effect', async () => {
    const { store } = await setup();
    await store().add('Likes green tea', { kind: 'tea' });
    await store().add('Likes black tea', { kind: 'coffee' });
    const filter = { equals: { key: 'kind', value: 'tea' } };
    const narrow = store({ filter });
    filter.equals.value = 'coffee';
    expect((await narrow.search('tea')).map(({ content }) => content)).toEqual(['Likes green tea']);
  });
});
