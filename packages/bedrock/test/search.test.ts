import { describe, expect, it } from 'vitest';
import { setup } from './harness.ts';

const contents = (entries: readonly { readonly content: string }[]) => entries.map(({ content }) => content);
const pathsOf = ({ requests }: { readonly requests: readonly { readonly path: string }[] }) =>
  requests.map(({ path }) => path.replace(/^.*\//, ''));

describe('the type of the base', () => {
  it('is requested once by all stores of a connection, even concurrently', async () => {
    const { store, emulator } = await setup();
    const stores = [store(), store({ namespace: ['u', 'bob'] })];
    await Promise.all(stores.map((one) => one.initialize()));
    await Promise.all(stores.map((one) => one.search('tea')));
    expect(pathsOf(emulator).sort()).toEqual(['KB123', 'retrieve', 'retrieve']);
  });

  it('is requested by the first search if the store was not initialized', async () => {
    const { store, emulator } = await setup();
    await store().search('tea');
    await store().search('tea');
    expect(pathsOf(emulator)).toEqual(['KB123', 'retrieve', 'retrieve']);
  });

  it('is not requested if the connection has it', async () => {
    const { store, connection, emulator } = await setup();
    const told = store({ connection: { ...connection, knowledgeBaseType: 'VECTOR' } });
    await told.initialize();
    await told.search('tea');
    expect(pathsOf(emulator)).toEqual(['retrieve']);
  });

  it('is requested again after a failure', async () => {
    const { store, emulator } = await setup();
    const facts = store();
    await facts.add('Likes tea');
    emulator.faults.fail({ path: /KB123$/, status: 403, times: 2 });
    await expect(facts.initialize()).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringContaining('bedrock:GetKnowledgeBase'),
    });
    await expect(facts.search('tea')).rejects.toMatchObject({ code: 'BACKEND' });
    expect(contents(await facts.search('tea'))).toEqual(['Likes tea']);
  });

  it.each(['VECTOR', 'MANAGED', 'KENDRA'] as const)('of %s selects the search configuration', async (type) => {
    // The emulator refuses the configuration of the other type.
    const { store } = await setup({
      knowledgeBases: [{ id: 'KB123', type, dataSources: [{ id: 'DS456', type: 'CUSTOM' }] }],
    });
    await store().add('Likes tea', { kind: 'drink' });
    expect(contents(await store().search('tea', { filter: { kind: 'drink' } }))).toEqual(['Likes tea']);
  });
});

describe('results', () => {
  it('have the metadata of the document, the score and the location', async () => {
    const { store } = await setup();
    const metadata = { kind: 'drink', cups: 3, hot: true, with: ['milk', 'sugar'] };
    const { documentId } = await store().add('Likes tea', metadata);
    const [entry] = await store().search('tea');
    expect(entry).toEqual({
      id: documentId,
      content: 'Likes tea',
      score: expect.any(Number),
      metadata: {
        namespace: 'u:alice',
        kind: 'drink',
        cups: 3,
        hot: true,
        with: ['milk', 'sugar'],
        _relevanceScore: entry?.score,
        _sourceLocation: { type: 'CUSTOM', customDocumentLocation: { id: documentId } },
      },
    });
  });

  it.each(['CUSTOM', 'S3'])('of a %s source have fields with names that every object has', async (type) => {
    const { store, connection, s3Connection } = await setup();
    const facts = store({ connection: type === 'S3' ? s3Connection : connection });
    const metadata = { constructor: 'b', toString: 'c', hasOwnProperty: 'd' } as unknown as Record<string, string>;
    await facts.add('Likes tea', metadata);
    const [entry] = await facts.search('tea', { filter: metadata });
    expect(Object.entries(entry?.metadata ?? {})).toEqual(expect.arrayContaining(Object.entries(metadata)));
    expect(Object.getPrototypeOf(entry?.metadata)).toBe(Object.prototype);
    const { prototype } = JSON.parse('{"prototype":{"__proto__":"a"}}');
    await expect(facts.add('Likes coffee', prototype)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('have numbers as numbers, and integers beyond a double as strings', async () => {
    const { store, emulator } = await setup();
    // The digits exactly as the service writes them.
    const raw = (digits: string) => ({
      toJSON: () => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits),
    });
    const attributes = {
      namespace: 'u:alice',
      small: raw('7'),
      decimal: raw('1.0'),
      fraction: raw('0.10'),
      exponent: raw('1E3'),
      largest: raw('9007199254740991'),
      beyond: raw('9007199254740993'),
      far: raw('-123456789012345678901234567890'),
    };
    emulator.plant('DS456', { id: 'planted', text: 'Likes tea', attributes });
    const [entry] = await store().search('tea');
    expect(entry?.metadata).toMatchObject({
      small: 7,
      decimal: 1,
      fraction: 0.1,
      exponent: 1000,
      largest: 9007199254740991,
      beyond: '9007199254740993',
      far: '-123456789012345678901234567890',
    });
    expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
  });

  it('are kept from minScore up, the greater of the store and the call', async () => {
    const { store } = await setup();
    await store().add('Tea, tea, tea and nothing but tea');
    await store().add('Once upon a time, long ago, there was somebody who had heard of tea in a far land');
    const all = await store().search('tea');
    expect(all).toHaveLength(2);
    const [best, worst] = all.map(({ score }) => score ?? 0) as [number, number];
    const between = (best + worst) / 2;
    expect(contents(await store({ minScore: between }).search('tea'))).toHaveLength(1);
    expect(contents(await store({ minScore: worst }).search('tea', { minScore: between }))).toHaveLength(1);
    expect(contents(await store({ minScore: between }).search('tea', { minScore: worst }))).toHaveLength(1);
    expect(contents(await store({ minScore: worst }).search('tea'))).toHaveLength(2);
  });

  it('are kept up to maxScore if scores are distances, which entries do not contain', async () => {
    const { store } = await setup({ scoring: 'distance' });
    await store().add('Tea, tea, tea and nothing but tea');
    await store().add('Once upon a time, long ago, there was somebody who had heard of tea in a far land');
    const all = await store({ maxScore: 1 }).search('tea');
    const distances = all.map(({ metadata }) => metadata?._relevanceScore as number) as [number, number];
    expect(distances[0]).toBeLessThan(distances[1]);
    expect(all.map(({ score }) => score)).toEqual([undefined, undefined]);
    const near = store({ maxScore: (distances[0] + distances[1]) / 2 });
    expect(contents(await near.search('tea'))).toEqual(['Tea, tea, tea and nothing but tea']);
    await expect(near.search('tea', { minScore: 0.1 })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });

  it('without a score are kept, whatever the bounds', async () => {
    const { store } = await setup({ scoring: 'none' });
    await store().add('Likes tea');
    for (const bounds of [{ minScore: 0.9 }, { maxScore: 0.1 }]) {
      const [entry] = await store(bounds).search('tea');
      expect(entry).toMatchObject({ content: 'Likes tea' });
      expect(entry).not.toHaveProperty('score');
      expect(entry?.metadata).not.toHaveProperty('_relevanceScore');
    }
  });

  it('are read page by page, only up to the limit', async () => {
    const { store, emulator } = await setup({ pageSize: 4 });
    for (let number = 0; number < 11; number++) await store().add(`Cup of tea number ${number}`);
    const facts = store();
    await facts.initialize();
    const pagesOf = async (maxSearchResults: number) => {
      const before = emulator.requests.length;
      const found = contents(await facts.search('tea', { maxSearchResults }));
      return [new Set(found).size, emulator.requests.length - before];
    };
    expect(await pagesOf(100)).toEqual([11, 3]);
    expect(await pagesOf(9)).toEqual([9, 3]);
    expect(await pagesOf(8)).toEqual([8, 2]);
    expect(await pagesOf(3)).toEqual([3, 1]);
    await expect(facts.search('tea', { maxSearchResults: 101 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it.each([
    [
      'a row of a table',
      { row: [{ columnName: 'drink', columnValue: 'tea' }, { columnName: 'cups' }] },
      'drink: tea\ncups: ',
    ],
    ['a recording', { audio: { s3Uri: 's3://b/k', transcription: 'I like tea' } }, 'I like tea'],
    ['a film', { video: { s3Uri: 's3://b/k', summary: 'Somebody drinks tea' } }, 'Somebody drinks tea'],
    ['an image', { byteContent: 'data:image/png;base64,AA==' }, undefined],
  ])('that are %s have the readable text', async (_, content, text) => {
    const { store, connection } = await setup();
    const result = { content, location: { type: 'S3' }, metadata: { namespace: 'u:alice' } };
    const runtimeClient = { send: async () => ({ retrievalResults: [result] }) };
    const told = store({ connection: { ...connection, knowledgeBaseType: 'VECTOR', runtimeClient } });
    expect(contents(await told.search('tea'))).toEqual(text === undefined ? [] : [text]);
  });

  it('are searched with the first 1,000 characters of a query', async () => {
    const { store } = await setup();
    await store().add('Likes tea');
    for (const tail of ['x'.repeat(5_000), '💡'.repeat(3_000), '\ud800'.repeat(2_000)]) {
      expect(contents(await store().search(`tea ${tail}`))).toEqual(['Likes tea']);
    }
  });
});

describe('filters', () => {
  const drinks = [
    ['Green tea', { kind: 'tea', cups: 1, hot: true }],
    ['Iced tea', { kind: 'tea', cups: 2, hot: false }],
    ['Mint tea', { kind: 'herbs', cups: 3, hot: true }],
    ['Tea of no kind', {}],
  ] as const;

  it.each([
    ['a value', { kind: 'tea' }, ['Green tea', 'Iced tea']],
    ['several fields', { kind: 'tea', hot: false }, ['Iced tea']],
    ['strings of a list', { kind: { in: ['herbs', 'fruit'] } }, ['Mint tea']],
    ['numbers of a list', { cups: { in: [1, 3] } }, ['Green tea', 'Mint tea']],
    ['one value of a list', { cups: { in: [1] } }, ['Green tea']],
    ['a list of mixed types', { kind: { in: ['herbs', 'fruit', 7, 8, true, null] } }, ['Mint tea']],
    ['booleans of a list', { hot: { in: [true, false] } }, ['Green tea', 'Iced tea', 'Mint tea']],
    ['another value', { kind: { ne: 'tea' } }, ['Mint tea', 'Tea of no kind']],
    ['several other values', { kind: { ne: 'herbs' }, cups: { ne: 1 } }, ['Iced tea', 'Tea of no kind']],
    ['any value but null, which no document has', { kind: { ne: null }, hot: true }, ['Green tea', 'Mint tea']],
    ['any value but an empty string', { kind: { ne: '' }, hot: false }, ['Iced tea']],
    ['any value of an empty name', { '': { ne: 'tea' }, hot: false }, ['Iced tea']],
    ['a range', { cups: { gt: 1, lte: 3 } }, ['Iced tea', 'Mint tea']],
    ['the other range', { cups: { gte: 2, lt: 3 } }, ['Iced tea']],
    ['a value of another type', { cups: '1' }, []],
    ['nothing', { kind: { in: [] } }, []],
    ['null, which no document has', { kind: null }, []],
    ['an empty string, which no document has', { kind: '' }, []],
    ['an empty name, which no document has', { '': 'tea' }, []],
    ['a value that looks like a filter of the service', { kind: '{"equals":{"key":"kind","value":"tea"}}' }, []],
    ['a name that every object has', { ['__proto__']: { in: ['tea'] }, constructor: 'tea' }, []],
    ['the scope of another user', { namespace: 'u:bob' }, []],
    [
      'more conditions than fit into one list',
      { kind: { in: ['tea', 'x'] }, cups: { gt: 0, gte: 1, lt: 9, lte: 2, in: [1, 2] }, hot: { in: [true, false] } },
      ['Green tea', 'Iced tea'],
    ],
  ])('by %s', async (_, filter, expected) => {
    const { store } = await setup();
    for (const [content, metadata] of drinks) await store().add(content, { ...metadata });
    expect(contents(await store().search('tea', { filter })).sort()).toEqual(expected);
  });

  it.each([
    ['existence of a field', { kind: { exists: true } }],
    ['times of a record', { createdAt: { gt: '2026-01-01' } }],
    ['the source of a record', { 'source.kind': { ne: 'fact' } }],
    ['a range of strings', { kind: { gt: 'a' } }],
    ['names that are too long', { ['k'.repeat(101)]: 1 }],
  ])('by %s are refused, not ignored', async (_, filter) => {
    const { store, emulator } = await setup();
    await expect(store().search('tea', { filter })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(emulator.requests).toEqual([]);
  });

  it('of the store and of the call both apply', async () => {
    const { store } = await setup();
    for (const [content, metadata] of drinks) await store().add(content, { ...metadata });
    const hot = store({
      filter: { orAll: [{ equals: { key: 'hot', value: true } }, { lessThan: { key: 'cups', value: 0 } }] },
    });
    expect(contents(await hot.search('tea')).sort()).toEqual(['Green tea', 'Mint tea']);
    expect(contents(await hot.search('tea', { filter: { kind: 'tea' } }))).toEqual(['Green tea']);
  });
});

describe('access control', () => {
  const aware = {
    knowledgeBases: [
      {
        id: 'KB123',
        type: 'MANAGED' as const,
        dataSources: [
          { id: 'DS456', type: 'CUSTOM' as const, aclEnabled: true },
          { id: 'DS789', type: 'S3' as const, aclEnabled: true },
        ],
      },
    ],
  };
  const forAlice = [
    { access: 'ALLOW', name: 'alice@example.com', type: 'USER' },
    { access: 'DENY', name: 'bob@example.com', type: 'USER' },
  ] as const;

  it.each(['CUSTOM', 'S3'] as const)('is written to a %s source and applied by searches', async (type) => {
    const { store, connection, s3Connection } = await setup(aware);
    const base = { connection: type === 'S3' ? s3Connection : connection };
    await store({ ...base, accessControlList: forAlice }).add('The budget is tight');
    const found = async (userId?: string) =>
      contents(await store({ ...base, ...(userId && { userContext: { userId } }) }).search('budget'));
    expect(await found('alice@example.com')).toEqual(['The budget is tight']);
    expect(await found('bob@example.com')).toEqual([]);
    expect(await found('carol@example.com')).toEqual([]);
    expect(await found()).toEqual([]);
  });

  it.each(['CUSTOM', 'S3'] as const)('that a %s source requires but does not get is explained', async (type) => {
    const { store, connection, s3Connection, emulator } = await setup(aware);
    const base = { connection: type === 'S3' ? s3Connection : connection };
    await expect(store(base).add('The budget is tight')).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringContaining('accessControlList'),
    });
    expect(emulator.objects().size).toBe(0);
  });

  it('requires at least one attribute in a CUSTOM source', async () => {
    const { store } = await setup(aware);
    const all = store({ unscoped: true, accessControlList: forAlice });
    await expect(all.add('The budget is tight')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await all.add('The budget is tight', { year: 2026 });
  });
});
