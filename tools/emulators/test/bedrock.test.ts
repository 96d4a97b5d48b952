import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  BedrockAgentClient,
  DeleteKnowledgeBaseDocumentsCommand,
  GetKnowledgeBaseCommand,
  GetKnowledgeBaseDocumentsCommand,
  IngestKnowledgeBaseDocumentsCommand,
  type KnowledgeBaseDocument,
  ListKnowledgeBaseDocumentsCommand,
} from '@aws-sdk/client-bedrock-agent';
import {
  BedrockAgentRuntimeClient,
  RetrieveCommand,
  type RetrieveCommandInput,
} from '@aws-sdk/client-bedrock-agent-runtime';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BedrockEmulatorOptions, startBedrock } from '../src/index.ts';

const ids = { knowledgeBaseId: 'KB123', dataSourceId: 'DS456' };

async function setup(options?: BedrockEmulatorOptions) {
  const emulator = await startBedrock(options);
  const config = { ...emulator.client, maxAttempts: 1 };
  const [agent, runtime, s3] = [
    new BedrockAgentClient(config),
    new BedrockAgentRuntimeClient(config),
    new S3Client(config),
  ];
  onTestFinished(async () => {
    for (const client of [agent, runtime, s3]) client.destroy();
    await emulator.stop();
  });
  const ingest = (...documents: object[]) =>
    agent.send(new IngestKnowledgeBaseDocumentsCommand({ ...ids, documents: documents as KnowledgeBaseDocument[] }));
  const retrieve = (input: Partial<RetrieveCommandInput> = {}) =>
    runtime.send(new RetrieveCommand({ knowledgeBaseId: 'KB123', retrievalQuery: { text: 'tea' }, ...input }));
  return { emulator, agent, runtime, s3, ingest, retrieve };
}

/** A valid document, except for the given fields. */
function document(custom: object = {}, metadata?: object): object {
  const inlineContent = { type: 'TEXT', textContent: { data: 'Likes tea' } };
  const content = { customDocumentIdentifier: { id: 'one' }, sourceType: 'IN_LINE', inlineContent, ...custom };
  return { content: { dataSourceType: 'CUSTOM', custom: content }, ...(metadata && { metadata }) };
}

const attributes = (...values: object[]) => ({
  type: 'IN_LINE_ATTRIBUTE',
  inlineAttributes: values.map((value, index) => ({ key: `f${index}`, value })),
});

describe('ingestion', () => {
  it.each([
    ['no document', []],
    ['26 documents', Array.from({ length: 26 }, () => document())],
    ['an empty id', [document({ customDocumentIdentifier: { id: '' } })]],
    ['no text', [document({ inlineContent: { type: 'TEXT' } })]],
    ['an empty text', [document({ inlineContent: { type: 'TEXT', textContent: { data: '' } } })]],
    ['another source', [{ content: { dataSourceType: 'S3', s3: { s3Location: { uri: 's3://memories/a.txt' } } } }]],
    ['no attribute', [document({}, { type: 'IN_LINE_ATTRIBUTE', inlineAttributes: [] })]],
    ['an attribute without a value', [document({}, attributes({ type: 'STRING' }))]],
    ['an attribute of another type', [document({}, attributes({ type: 'NUMBER', stringValue: '1' }))]],
    ['an attribute with two values', [document({}, attributes({ type: 'NUMBER', stringValue: '1', numberValue: 1 }))]],
    ['an empty value', [document({}, attributes({ type: 'STRING', stringValue: '' }))]],
    ['a value that is too long', [document({}, attributes({ type: 'STRING', stringValue: 'x'.repeat(2049) }))]],
    [
      'a list that is too long',
      [document({}, attributes({ type: 'STRING_LIST', stringListValue: Array(11).fill('x') }))],
    ],
    [
      'too many attributes',
      [document({}, attributes(...Array.from({ length: 51 }, () => ({ type: 'BOOLEAN', booleanValue: true }))))],
    ],
    [
      'an unsupported access control list',
      [
        document(
          {},
          {
            ...attributes({ type: 'NUMBER', numberValue: 1 }),
            accessControlList: [{ name: 'a@b.c', type: 'USER', access: 'ALLOW' }],
          },
        ),
      ],
    ],
  ])('of %s is refused', async (_, documents) => {
    const { ingest } = await setup();
    await expect(ingest(...documents)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('of a batch is refused as a whole', async () => {
    const { ingest, emulator } = await setup();
    const bad = document({ customDocumentIdentifier: { id: '' } });
    await expect(ingest(document(), bad)).rejects.toMatchObject({ name: 'ValidationException' });
    expect(emulator.indexed('DS456').size).toBe(0);
  });

  it('progresses step by step on request', async () => {
    const { ingest, agent, retrieve, emulator } = await setup({ pace: 'polled' });
    const documentIdentifiers = [{ dataSourceType: 'CUSTOM' as const, custom: { id: 'one' } }];
    const status = async () => {
      const { documentDetails } = await agent.send(
        new GetKnowledgeBaseDocumentsCommand({ ...ids, documentIdentifiers }),
      );
      return documentDetails?.[0]?.status;
    };
    expect(await status()).toBe('NOT_FOUND');
    expect((await ingest(document())).documentDetails?.[0]).toMatchObject({ ...ids, status: 'STARTING' });
    const seen = [await status(), await status()];
    expect((await retrieve()).retrievalResults).toEqual([]);
    expect([...seen, await status(), await status()]).toEqual(['STARTING', 'PENDING', 'IN_PROGRESS', 'INDEXED']);
    expect((await retrieve()).retrievalResults).toHaveLength(1);
    await agent.send(new DeleteKnowledgeBaseDocumentsCommand({ ...ids, documentIdentifiers }));
    expect((await retrieve()).retrievalResults).toHaveLength(1);
    emulator.settle();
    expect(await status()).toBe('NOT_FOUND');
    expect((await agent.send(new ListKnowledgeBaseDocumentsCommand(ids))).documentDetails).toEqual([]);
  });

  it('takes the configured time', async () => {
    const { ingest, retrieve } = await setup({ pace: 300 });
    await ingest(document());
    await expect.poll(async () => (await retrieve()).retrievalResults?.length, { timeout: 20_000 }).toBe(1);
  });

  it('ends with the configured result', async () => {
    const { ingest, emulator } = await setup();
    emulator.judge({ status: 'FAILED', reason: 'No.' });
    expect((await ingest(document())).documentDetails?.[0]).toMatchObject({ status: 'FAILED', statusReason: 'No.' });
  });
});

describe('a search', () => {
  it.each([
    ['an empty query', { retrievalQuery: { text: '' } }],
    ['a query that is too long', { retrievalQuery: { text: 'x'.repeat(1_001) } }],
    ['too many results', { retrievalConfiguration: { vectorSearchConfiguration: { numberOfResults: 101 } } }],
    ['no results', { retrievalConfiguration: { vectorSearchConfiguration: { numberOfResults: 0 } } }],
    ['the configuration of another type', { retrievalConfiguration: { managedSearchConfiguration: {} } }],
    ['an invented token', { nextToken: 'page-1' }],
  ] as [string, Partial<RetrieveCommandInput>][])('with %s is refused', async (_, input) => {
    const { retrieve } = await setup();
    await expect(retrieve(input)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it.each([
    ['a list of one', { andAll: [{ equals: { key: 'a', value: 1 } }] }],
    ['a list of six', { orAll: Array.from({ length: 6 }, () => ({ equals: { key: 'a', value: 1 } })) }],
    ['no value', { equals: { key: 'a', value: undefined } }],
    ['a key that is too long', { equals: { key: 'a'.repeat(101), value: 1 } }],
    ['a range of strings', { greaterThan: { key: 'a', value: 'b' } }],
    ['values that are not a list', { in: { key: 'a', value: 'b' } }],
  ])('with a filter of %s is refused', async (_, filter) => {
    const { retrieve } = await setup();
    const retrievalConfiguration = { vectorSearchConfiguration: { filter: filter as never } };
    await expect(retrieve({ retrievalConfiguration })).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it.each([
    [{ equals: { key: 'n', value: 2 } }, ['b']],
    [{ equals: { key: 'n', value: '2' } }, []],
    [{ notEquals: { key: 'n', value: 2 } }, ['a', 'c', 'd']],
    [{ greaterThan: { key: 'n', value: 1 } }, ['b', 'c']],
    [{ greaterThanOrEquals: { key: 'n', value: 2 } }, ['b', 'c']],
    [{ lessThan: { key: 'n', value: 2 } }, ['a']],
    [{ lessThanOrEquals: { key: 'n', value: 2 } }, ['a', 'b']],
    [{ in: { key: 'n', value: [1, 3] } }, ['a', 'c']],
    [{ notIn: { key: 'n', value: [1, 3] } }, ['b', 'd']],
    [{ startsWith: { key: 's', value: 'x' } }, ['a', 'b']],
    [{ stringContains: { key: 's', value: 'y' } }, ['b', 'c']],
    [{ stringContains: { key: 'l', value: 'ol' } }, ['d']],
    [{ listContains: { key: 'l', value: 'gold' } }, ['d']],
    [{ listContains: { key: 'l', value: 'gol' } }, []],
    [{ equals: { key: 'l', value: 'gold' } }, []],
    [{ andAll: [{ startsWith: { key: 's', value: 'x' } }, { lessThan: { key: 'n', value: 2 } }] }, ['a']],
    [{ orAll: [{ equals: { key: 'n', value: 1 } }, { equals: { key: 'n', value: 3 } }] }, ['a', 'c']],
  ])('with the filter %j finds %j', async (filter, expected) => {
    const { retrieve, emulator } = await setup();
    emulator.plant('DS456', { id: 'a', text: 'tea', attributes: { n: 1, s: 'xa' } });
    emulator.plant('DS456', { id: 'b', text: 'tea', attributes: { n: 2, s: 'xy' } });
    emulator.plant('DS456', { id: 'c', text: 'tea', attributes: { n: 3, s: 'y' } });
    emulator.plant('DS456', { id: 'd', text: 'tea', attributes: { l: ['gold'] } });
    const { retrievalResults } = await retrieve({
      retrievalConfiguration: { vectorSearchConfiguration: { filter: filter as never } },
    });
    expect(retrievalResults?.map(({ location }) => location?.customDocumentLocation?.id).sort()).toEqual(expected);
  });
});

describe('a request', () => {
  const post = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/knowledgebases/KB123/retrieve`, { method: 'POST', body, headers });
  const signed = (service = 'bedrock', date = '20260101T000000Z', names = 'host;x-amz-date') => ({
    'x-amz-date': date,
    authorization: `AWS4-HMAC-SHA256 Credential=me/20260101/us-east-1/${service}/aws4_request, SignedHeaders=${names}, Signature=${'0'.repeat(64)}`,
  });

  it.each([
    ['that is not signed', {}, 'MissingAuthenticationTokenException'],
    ['that is signed for another service', signed('sqs'), 'InvalidSignatureException'],
    ['that is signed on another day', signed('bedrock', '20260102T000000Z'), 'InvalidSignatureException'],
    ['whose host is not signed', signed('bedrock', '20260101T000000Z', 'x-amz-date'), 'InvalidSignatureException'],
  ])('%s is refused', async (_, headers, type) => {
    const { emulator } = await setup();
    const answer = await post(emulator.url, '{"retrievalQuery":{"text":"tea"}}', headers);
    expect([answer.status, answer.headers.get('x-amzn-errortype')]).toEqual([403, type]);
  });

  it.each([
    ['that is not JSON', '{'],
    ['with an unknown field', '{"retrievalQuery":{"text":"tea"},"limit":3}'],
    ['with an unknown nested field', '{"retrievalQuery":{"text":"tea","language":"en"}}'],
    ['with a field of another type', '{"retrievalQuery":{"text":7}}'],
    ['without a required field', '{}'],
  ])('%s is refused without repeating its values', async (_, body) => {
    const { emulator } = await setup();
    const answer = await post(emulator.url, body, signed());
    expect([answer.status, answer.headers.get('x-amzn-errortype')]).toEqual([400, 'ValidationException']);
    expect(await answer.text()).not.toContain('tea');
  });

  it('for a missing object is refused', async () => {
    const { agent, ingest } = await setup();
    await ingest(document());
    const missing = { knowledgeBaseId: 'KB999' };
    await expect(agent.send(new GetKnowledgeBaseCommand(missing))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    const elsewhere = {
      ...ids,
      dataSourceId: 'DS999',
      documentIdentifiers: [{ dataSourceType: 'CUSTOM' as const, custom: { id: 'one' } }],
    };
    await expect(agent.send(new GetKnowledgeBaseDocumentsCommand(elsewhere))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});

describe('an object', () => {
  it('is put, optionally only if it is new, and deleted', async () => {
    const { s3, emulator } = await setup();
    const object = { Bucket: 'memories', Key: 'a b/ü.txt' };
    await s3.send(new PutObjectCommand({ ...object, Body: 'one', IfNoneMatch: '*' }));
    const again = s3.send(new PutObjectCommand({ ...object, Body: 'two', IfNoneMatch: '*' }));
    await expect(again).rejects.toMatchObject({ name: 'PreconditionFailed' });
    expect([...emulator.objects()]).toEqual([['s3://memories/a b/ü.txt', 'one']]);
    await s3.send(new PutObjectCommand({ ...object, Body: 'two' }));
    expect([...emulator.objects().values()]).toEqual(['two']);
    await s3.send(new DeleteObjectCommand(object));
    expect(emulator.objects().size).toBe(0);
  });

  it('is refused without a bucket or with a wrong checksum', async () => {
    const { s3 } = await setup();
    const put = (input: object) =>
      s3.send(new PutObjectCommand({ Bucket: 'memories', Key: 'a', Body: 'one', ...input }));
    await expect(put({ Bucket: 'elsewhere' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
    await expect(put({ ChecksumCRC32: 'AAAAAA==' })).rejects.toMatchObject({ name: 'BadDigest' });
  });
});

describe('the command', () => {
  it('prints how programs connect to it', async () => {
    const main = join(import.meta.dirname, '../src/bedrock/main.ts');
    const child = spawn(process.execPath, ['--conditions=@keepsake/source', main, '--pace', '0']);
    onTestFinished(() => void child.kill());
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = /AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME=(\S+)/.exec(line.toString())?.[1];
    const client = new BedrockAgentClient({
      endpoint: url ?? '',
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
    const { knowledgeBase } = await client.send(new GetKnowledgeBaseCommand({ knowledgeBaseId: 'KB123' }));
    expect(knowledgeBase).toMatchObject({ knowledgeBaseId: 'KB123', status: 'ACTIVE' });
    client.destroy();
  });
});
