import type { JsonObject } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { type Setup, setup } from './harness.ts';

const sources = ['CUSTOM', 'S3'] as const;
const sourceIds = { CUSTOM: 'DS456', S3: 'DS789' };
const contents = (entries: readonly { readonly content: string }[]) => entries.map(({ content }) => content);

function storeOf({ store, connection, s3Connection }: Setup, type: (typeof sources)[number], options: object = {}) {
  return store({ connection: type === 'S3' ? s3Connection : connection, ...options });
}

describe.each(sources)('adding to a %s source', (type) => {
  it('again results in one document, with the last metadata', async () => {
    const made = await setup();
    const facts = storeOf(made, type);
    const first = await facts.add('Likes tea', { cups: 1 });
    const again = await storeOf(made, type).add('Likes tea', { cups: 2 });
    expect(again.documentId).toBe(first.documentId);
    expect(made.emulator.indexed(sourceIds[type]).size).toBe(1);
    expect((await facts.search('tea'))[0]?.metadata).toMatchObject({ cups: 2 });
    await facts.add('Likes tea');
    expect((await facts.search('tea'))[0]?.metadata).not.toHaveProperty('cups');
  });

  it('the same text in two scopes, and without one, results in a document each', async () => {
    const made = await setup();
    const stores = [{}, { namespace: ['u', 'bob'] }, { unscoped: true }].map((one) => storeOf(made, type, one));
    const added = await Promise.all(stores.map((one) => one.add('Likes tea')));
    expect(new Set(added.map(({ documentId }) => documentId)).size).toBe(3);
    expect(await Promise.all(stores.map(async (one) => (await one.search('tea')).length))).toEqual([1, 1, 3]);
  });

  it.each([
    ['null', { a: null }],
    ['an empty list', { a: [] }],
    ['a list of numbers', { a: [1] }],
    ['an object', { a: { b: 1 } }],
    ['an empty string', { a: '' }],
    ['an empty string in a list', { a: ['b', ''] }],
    ['NaN', { a: Number.NaN }],
    ['a lone surrogate', { a: '\ud800' }],
    ['an empty name', { '': 1 }],
    ['the scope of another user', { namespace: 'u:bob' }],
    ['the scope of the store', { namespace: 'u:alice' }],
    ['a reserved name for the score', { _relevanceScore: 1 }],
    ['a reserved name for the location', { _sourceLocation: 'here' }],
  ])('metadata with %s is refused before anything is sent', async (_, metadata) => {
    const made = await setup();
    for (const options of [{}, { unscoped: true }]) {
      const adding = storeOf(made, type, options).add('Likes tea', metadata as JsonObject);
      await expect(adding).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    expect(made.emulator.requests).toEqual([]);
  });

  it('a refusal shows the position of a field of metadata instead of its name', async () => {
    const adding = storeOf(await setup(), type).add('Likes tea', { age: 7, alice_diagnosis_hiv: '' });
    await expect(adding).rejects.toMatchObject({
      message: 'metadata.<field 2> is or contains an empty string, which Bedrock does not support.',
    });
  });

  it.each([
    ['a string of over 2,048 characters', { a: 'b'.repeat(2049) }],
    ['a string of over 2,048 characters in a list', { a: ['b'.repeat(2049)] }],
    ['a list of over 10 strings', { a: Array.from({ length: 11 }, () => 'b') }],
    ['a name of over 200 characters', { ['a'.repeat(201)]: 1 }],
    ['50 fields besides the scope', Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, index]))],
  ])('metadata with %s is refused as too large before anything is sent', async (_, metadata) => {
    const made = await setup();
    const adding = storeOf(made, type).add('Likes tea', metadata as JsonObject);
    await expect(adding).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(made.emulator.requests).toEqual([]);
  });

  it('accepts metadata within the limits', async () => {
    const made = await setup();
    const fields = Object.fromEntries(Array.from({ length: 46 }, (_, index) => [`f${index}`, index]));
    const metadata = { ...fields, text: 'b'.repeat(2048), list: Array(10).fill('c'), ['n'.repeat(200)]: -1.5 };
    await storeOf(made, type).add(`Likes tea ${'x'.repeat(1024 * 1024 - 10)}`, metadata);
    const [entry] = await storeOf(made, type).search('tea');
    expect(entry?.metadata).toMatchObject(metadata);
    const over = storeOf(made, type).add(`Likes tea ${'x'.repeat(1024 * 1024)}`);
    await expect(over).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('refuses blank or malformed text', async () => {
    const made = await setup();
    for (const content of ['', ' \n', 'a\ud800', undefined, 7] as string[]) {
      await expect(storeOf(made, type).add(content)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    expect(made.emulator.requests).toEqual([]);
  });

  it.each(['FAILED', 'IGNORED'] as const)('that ends as %s is an error with the reason', async (status) => {
    const made = await setup();
    made.emulator.judge({ status, reason: 'The embedding model is out of capacity.' });
    await expect(storeOf(made, type).add('Likes tea')).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringMatching(new RegExp(`${status}.*out of capacity`)),
    });
    expect(made.emulator.objects().size).toBe(0);
    made.emulator.judge(undefined);
    await storeOf(made, type).add('Likes tea');
    expect(contents(await storeOf(made, type).search('tea'))).toEqual(['Likes tea']);
  });

  it('writes the scope to the attribute that the connection names', async () => {
    const made = await setup();
    const base = type === 'S3' ? made.s3Connection : made.connection;
    const facts = made.store({ connection: { ...base, scopeMetadataKey: 'tenant' } });
    await facts.add('Likes tea', { namespace: 'is free then' });
    const [entry] = await facts.search('tea');
    expect(entry?.metadata).toMatchObject({ tenant: 'u:alice', namespace: 'is free then' });
    expect(await storeOf(made, type).search('tea')).toEqual([]);
  });
});

describe.each(sources)('a document of a %s source', (type) => {
  it('is found only after it is indexed', async () => {
    const made = await setup({ pace: 'polled' });
    const facts = storeOf(made, type);
    const { documentId, status } = await facts.add('Likes tea');
    expect(status).toBe('STARTING');
    expect(await facts.search('tea')).toEqual([]);
    expect(await facts.status(documentId)).toEqual({ documentId, status: 'STARTING', updatedAt: expect.any(String) });
    await facts.waitUntilIndexed(documentId);
    expect(contents(await facts.search('tea'))).toEqual(['Likes tea']);
    expect(await facts.status(documentId)).toMatchObject({ status: 'INDEXED' });
  });

  it('stays unchanged while it is added again', async () => {
    const made = await setup({ pace: 'manual' });
    const facts = storeOf(made, type);
    await facts.add('Likes tea', { cups: 1 });
    made.emulator.settle();
    await facts.add('Likes tea', { cups: 2 });
    expect((await facts.search('tea'))[0]?.metadata).toMatchObject({ cups: 1 });
    made.emulator.settle();
    expect((await facts.search('tea'))[0]?.metadata).toMatchObject({ cups: 2 });
  });

  it('that fails later reports the failure and the reason', async () => {
    const made = await setup({ pace: 'polled' });
    made.emulator.judge({ status: 'FAILED', reason: 'The text is in no language.', late: true });
    const facts = storeOf(made, type);
    const { documentId } = await facts.add('Likes tea');
    await expect(facts.waitUntilIndexed(documentId)).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringContaining('in no language'),
    });
    expect(await facts.status(documentId)).toMatchObject({
      status: 'FAILED',
      statusReason: 'The text is in no language.',
    });
  });

  it('can be deleted with its objects, also by the id of an entry', async () => {
    const made = await setup();
    const facts = storeOf(made, type);
    await facts.add('Likes tea', { cups: 1 });
    const { documentId } = await facts.add('Likes coffee');
    const [tea] = await facts.search('tea');
    expect(await facts.delete(tea?.id ?? '')).toBe(true);
    expect(await facts.search('tea')).toEqual([]);
    expect(await facts.delete(tea?.id ?? '')).toBe(false);
    expect(await facts.status(tea?.id ?? '')).toBeUndefined();
    expect(await facts.delete(documentId)).toBe(true);
    expect(made.emulator.objects().size).toBe(0);
    // It can be added again and is not mistaken for the deleted one.
    await facts.add('Likes tea');
    expect(contents(await facts.search('tea'))).toEqual(['Likes tea']);
  });

  it('is out of reach for other scopes, even with its id', async () => {
    const made = await setup();
    const { documentId } = await storeOf(made, type).add('Likes tea');
    const bob = storeOf(made, type, { namespace: ['u', 'bob'] });
    expect(await bob.delete(documentId)).toBe(false);
    expect(await bob.status(documentId)).toBeUndefined();
    await expect(bob.waitUntilIndexed(documentId, { deadlineMs: 1 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(made.emulator.indexed(sourceIds[type]).size).toBe(1);
    expect(await storeOf(made, type, { unscoped: true }).delete(documentId)).toBe(true);
  });

  it('has a status in read-only stores', async () => {
    const made = await setup();
    const { documentId } = await storeOf(made, type).add('Likes tea');
    expect(await storeOf(made, type, { writable: false }).status(documentId)).toMatchObject({ status: 'INDEXED' });
  });
});

describe('waiting', () => {
  it('ends at its deadline and when it is aborted', async () => {
    const { store } = await setup({ pace: 'manual' });
    const { documentId } = await store().add('Likes tea');
    await expect(store().waitUntilIndexed(documentId, { deadlineMs: 20 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const stop = new AbortController();
    const waiting = store().waitUntilIndexed(documentId, { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(store().waitUntilIndexed(documentId, { signal: stop.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect(store().waitUntilIndexed(documentId, { deadlineMs: 0 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});

describe('what a knowledge base cannot do', () => {
  it('is refused: reading a text by its id and listing', async () => {
    const { store } = await setup();
    const { documentId } = await store().add('Likes tea');
    await expect(store().get(documentId)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await expect(store().list()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(store().capabilities).toMatchObject({ enumerate: false, consistency: 'eventual', ttl: false });
  });

  it('is refused if the connection names no data source', async () => {
    const { store, connection } = await setup();
    const { runtimeClient, agentClient } = connection as Required<typeof connection>;
    const reader = store({ writable: false, connection: { knowledgeBaseId: 'KB123', runtimeClient, agentClient } });
    await expect(reader.status('some-id')).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });
});

describe('objects in S3', () => {
  it('are a text, and a metadata file if there is metadata', async () => {
    const made = await setup();
    const { documentId } = await storeOf(made, 'S3', { unscoped: true }).add('Likes tea');
    expect([...made.emulator.objects()]).toEqual([[documentId, 'Likes tea']]);
    expect(documentId).toMatch(/^s3:\/\/memories\/facts\/unscoped-[0-9a-f]{64}\.txt$/);
    const scoped = await storeOf(made, 'S3').add('Likes tea', { cups: 1 });
    expect(JSON.parse(made.emulator.objects().get(`${scoped.documentId}.metadata.json`) ?? '')).toEqual({
      metadataAttributes: {
        namespace: { value: { type: 'STRING', stringValue: 'u:alice' }, includeForEmbedding: false },
        cups: { value: { type: 'NUMBER', numberValue: 1 }, includeForEmbedding: false },
      },
    });
  });

  it('lose the metadata file if the text is added again without metadata', async () => {
    const made = await setup();
    const facts = storeOf(made, 'S3', { unscoped: true });
    const { documentId } = await facts.add('Likes tea', { cups: 1 });
    await facts.add('Likes tea');
    expect([...made.emulator.objects().keys()]).toEqual([documentId]);
    expect((await facts.search('tea'))[0]?.metadata).not.toHaveProperty('cups');
  });

  it.each([
    ['', /^s3:\/\/memories\/[0-9a-f]{32}-/],
    ['a/b', /^s3:\/\/memories\/a\/b\/[0-9a-f]{32}-/],
    ['a/b/', /^s3:\/\/memories\/a\/b\/[0-9a-f]{32}-/],
    ['größe %/', /^s3:\/\/memories\/größe %\/[0-9a-f]{32}-/],
  ])('have keys under the prefix %j', async (prefix, expected) => {
    const made = await setup();
    const s3 = { ...(made.s3Connection.s3 as NonNullable<typeof made.s3Connection.s3>), prefix };
    const facts = made.store({ connection: { ...made.s3Connection, s3 } });
    const { documentId } = await facts.add('Likes tea');
    expect(documentId).toMatch(expected);
    expect(contents(await facts.search('tea'))).toEqual(['Likes tea']);
    expect(await facts.delete(documentId)).toBe(true);
    expect(made.emulator.objects().size).toBe(0);
  });

  it('are removed if the ingestion is refused', async () => {
    const made = await setup();
    made.emulator.faults.fail({ path: /documents$/, status: 400 });
    await expect(storeOf(made, 'S3').add('Likes tea')).rejects.toMatchObject({ code: 'BACKEND' });
    expect(made.emulator.objects().size).toBe(0);
  });

  it('are removed if the metadata file cannot be written', async () => {
    const made = await setup();
    made.emulator.faults.fail({ path: /metadata\.json$/, method: 'PUT', status: 403 });
    await expect(storeOf(made, 'S3').add('Likes tea')).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringContaining('s3:PutObject'),
    });
    expect(made.emulator.objects().size).toBe(0);
  });

  it('of an acknowledged document stay if adding it again fails', async () => {
    const made = await setup();
    const facts = storeOf(made, 'S3');
    const { documentId } = await facts.add('Likes tea');
    made.emulator.faults.fail({ path: /documents$/, status: 429 });
    await expect(facts.add('Likes tea')).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
    expect(made.emulator.objects().get(documentId)).toBe('Likes tea');
  });

  it('stay if the ingestion may have happened', async () => {
    const made = await setup();
    made.emulator.faults.cut('after', { path: /documents$/ });
    await expect(storeOf(made, 'S3').add('Likes tea')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(made.emulator.objects().size).toBe(2);
    expect(contents(await storeOf(made, 'S3').search('tea'))).toEqual(['Likes tea']);
  });

  it('fail with the first error if removing them fails too', async () => {
    const made = await setup();
    made.emulator.faults.fail({ path: /documents$/, status: 404 });
    made.emulator.faults.fail({ method: 'DELETE', status: 403 });
    await expect(storeOf(made, 'S3').add('Likes tea')).rejects.toMatchObject({
      message: expect.stringContaining('knowledge base, data source or bucket does not exist'),
    });
  });

  it('have at most 10 KiB of metadata, which is checked before anything is sent', async () => {
    const made = await setup();
    const metadata = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`f${index}`, 'x'.repeat(2_000)]));
    await expect(storeOf(made, 'S3').add('Likes tea', metadata)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(made.emulator.requests).toEqual([]);
  });

  it('that an interrupted deletion leaves behind are removed by the next one', async () => {
    const made = await setup();
    const facts = storeOf(made, 'S3');
    const { documentId } = await facts.add('Likes tea');
    made.emulator.faults.fail({ method: 'DELETE', status: 503 });
    await expect(facts.delete(documentId)).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
    made.emulator.faults.heal();
    expect(await facts.delete(documentId)).toBe(false);
    expect(made.emulator.objects().size).toBe(0);
  });
});
