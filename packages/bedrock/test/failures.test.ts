import { inspect } from 'node:util';
import { BedrockAgentClient } from '@aws-sdk/client-bedrock-agent';
import { BedrockAgentRuntimeClient } from '@aws-sdk/client-bedrock-agent-runtime';
import { isMemoryError } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { loadPackage } from '../src/aws/load-sdk.ts';
import { setup } from './harness.ts';

const SECRET = 'sentinel4711';

describe('throttling', () => {
  it('is retried by the client, and nothing is added twice', async () => {
    const { store, emulator } = await setup({}, 3);
    emulator.faults.throttle({ times: 2 });
    await store().add('Likes tea');
    emulator.faults.throttle({ times: 2 });
    expect((await store().search('tea')).map(({ content }) => content)).toEqual(['Likes tea']);
    expect(emulator.indexed('DS456').size).toBe(1);
  });

  it('that continues is an error with retryable: true', async () => {
    const { store, emulator, s3Connection } = await setup({}, 2);
    emulator.faults.throttle();
    for (const facts of [store(), store({ connection: s3Connection })]) {
      for (const call of [() => facts.add('Likes tea'), () => facts.search('tea')]) {
        const before = emulator.requests.length;
        await expect(call()).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
        expect(emulator.requests.length - before).toBe(2);
      }
    }
    expect(emulator.indexed('DS456').size).toBe(0);
  });
});

describe.each(['before', 'mid', 'after'] as const)('a connection that is cut %s the response', (place) => {
  it('leaves open whether a text was added, and adding it again creates no second document', async () => {
    const { store, emulator } = await setup();
    emulator.faults.cut(place, { times: 1 });
    await expect(store().add('Likes tea')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(emulator.indexed('DS456').size).toBe(place === 'before' ? 0 : 1);
    await store().add('Likes tea');
    expect(emulator.indexed('DS456').size).toBe(1);
  });

  it.each([
    ['the text', /\.txt$/],
    ['the metadata', /\.metadata\.json$/],
    ['the ingestion', /documents$/],
  ])('while %s is sent to S3 duplicates nothing', async (_, path) => {
    const { store, emulator, s3Connection } = await setup();
    emulator.faults.cut(place, { times: 1, method: 'PUT', path });
    const facts = store({ connection: s3Connection });
    await expect(facts.add('Likes tea')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await facts.add('Likes tea');
    expect(emulator.indexed('DS789').size).toBe(1);
    expect(emulator.objects().size).toBe(2);
  });

  it('leaves open whether a document was deleted', async () => {
    const { store, emulator } = await setup();
    const { documentId } = await store().add('Likes tea');
    emulator.faults.cut(place, { times: 1 });
    await expect(store().delete(documentId)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await store().delete(documentId)).toBe(place === 'before');
  });

  it('fails the search, and the next one succeeds', async () => {
    const { store, emulator } = await setup();
    await store().add('Likes tea');
    await store().initialize();
    emulator.faults.cut(place, { times: 1 });
    await expect(store().search('tea')).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
    expect(await store().search('tea')).toHaveLength(1);
  });

  it('is survived by a client with retries, with one document', async () => {
    const { store, emulator } = await setup({}, 3);
    emulator.faults.cut(place, { times: 1, path: /documents$/ });
    await store()
      .add('Likes tea')
      .catch((error: unknown) => {
        // The SDK does not retry after a partial response.
        if (place !== 'mid' || !isMemoryError(error, 'OUTCOME_UNKNOWN')) throw error;
      });
    expect(emulator.indexed('DS456').size).toBe(1);
  });
});

describe('an error of AWS', () => {
  it.each([
    [400, 'BACKEND', undefined, /refused/],
    [403, 'BACKEND', undefined, /bedrock:IngestKnowledgeBaseDocuments/],
    [404, 'BACKEND', undefined, /Check the ids and the region/],
    [409, 'BACKEND', true, /Try again/],
    [413, 'TOO_LARGE', undefined, /Split/],
    [429, 'BACKEND', true, /throttles/],
    [500, 'OUTCOME_UNKNOWN', undefined, /may have happened/],
    [502, 'OUTCOME_UNKNOWN', undefined, /may have happened/],
    [503, 'BACKEND', true, /nothing was changed/],
  ])('with the status %i says what to do', async (status, code, retryable, message) => {
    const { store, emulator } = await setup();
    emulator.faults.fail({ status });
    const error: unknown = await store()
      .add('Likes tea')
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message), cause: expect.any(Error) });
    expect(isMemoryError(error) && error.retryable).toBe(retryable);
  });

  it.each([500, 502, 503, 429])('with the status %i in a search is retryable', async (status) => {
    const { store, emulator } = await setup();
    emulator.faults.fail({ status });
    await expect(store().search('tea')).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
  });

  it('contains no content, query or metadata, including its causes', async () => {
    const { store, emulator, s3Connection } = await setup();
    const told: string[] = [];
    const listen = async (call: Promise<unknown>) =>
      told.push(inspect(await call.catch((error: unknown) => error), { depth: 3 }));
    for (const status of [400, 403, 404, 413, 429, 500]) {
      emulator.faults.fail({ status });
      for (const facts of [store(), store({ connection: s3Connection })]) {
        await listen(facts.add(`Likes ${SECRET}`, { field: SECRET }));
        await listen(facts.search(SECRET, { filter: { field: SECRET } }));
      }
      emulator.faults.heal();
    }
    await listen(store().add('Likes tea', { field: [SECRET, ''] }));
    await listen(store().add(`${SECRET}\ud800`));
    await listen(store().search('tea', { filter: { field: { gt: SECRET } } }));
    expect(told).toHaveLength(27);
    for (const text of told) expect(text).not.toContain(SECRET);
  });

  it('before the request was sent changed nothing', async () => {
    const { store, connection, emulator } = await setup();
    const credentials = emulator.client.credentials;
    // Nothing listens on port 1.
    const nowhere = { endpoint: 'http://127.0.0.1:1', region: 'us-east-1', credentials, maxAttempts: 1 };
    const clients = {
      agentClient: new BedrockAgentClient(nowhere),
      runtimeClient: new BedrockAgentRuntimeClient(nowhere),
    };
    const facts = store({ connection: { ...connection, ...clients, knowledgeBaseType: 'VECTOR' } });
    for (const call of [() => facts.add('Likes tea'), () => facts.search('tea')]) {
      await expect(call()).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
    }
    const lost = { ...nowhere, credentials: () => Promise.reject(new Error('no credentials')) };
    const agentClient = new BedrockAgentClient(lost);
    await expect(store({ connection: { ...connection, agentClient } }).add('Likes tea')).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringContaining('credentials'),
    });
  });

  it('that a client throws without being an AWS error is BACKEND', async () => {
    const { store, connection } = await setup();
    const agentClient = { send: () => Promise.reject(new TypeError('not a command')) };
    await expect(store({ connection: { ...connection, agentClient } }).add('Likes tea')).rejects.toMatchObject({
      code: 'BACKEND',
    });
  });

  it('in a response without the document leaves the outcome unknown', async () => {
    const { store, connection } = await setup();
    const agentClient = { send: async () => ({}) };
    await expect(store({ connection: { ...connection, agentClient } }).add('Likes tea')).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
  });
});

describe('aborting', () => {
  it('ends a search that waits for the type of the base, but not the shared request', async () => {
    const { store, emulator } = await setup();
    emulator.faults.delay(500, { path: /KB123$/ });
    const stop = new AbortController();
    const [searching, other] = [store().search('tea', { signal: stop.signal }), store().search('tea')];
    stop.abort();
    await expect(searching).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await other).toEqual([]);
    expect(emulator.requests.filter(({ path }) => path.endsWith('retrieve'))).toHaveLength(1);
  });

  it('ends a search that waits for a response', async () => {
    const { store, emulator } = await setup();
    await store().initialize();
    emulator.faults.delay(30_000, { path: /retrieve$/ });
    const stop = new AbortController();
    const searching = store().search('tea', { signal: stop.signal });
    const asked = () => emulator.requests.some(({ path }) => path.endsWith('retrieve'));
    while (!asked()) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await expect(searching).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('a package that is missing', () => {
  it('is named, with the command that installs it', async () => {
    const missing = () => import('@aws-sdk/client-that-nobody-has' as string);
    await expect(loadPackage('@aws-sdk/client-s3', missing)).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringContaining('npm install @aws-sdk/client-s3'),
      cause: expect.any(Error),
    });
  });
});
