import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type OpenAIEmulatorOptions, startOpenAI } from '../src/index.ts';

async function setUp(options: OpenAIEmulatorOptions = {}) {
  const emulator = await startOpenAI(options);
  onTestFinished(() => emulator.stop());
  const client = new OpenAI({ baseURL: emulator.baseURL, apiKey: emulator.apiKey, maxRetries: 0 });
  return { emulator, client };
}

const hi = { role: 'user' as const, content: 'Hi' };

/** Sends requests that the types of the SDK would not allow. */
function post(client: OpenAI, path: string, body: unknown) {
  return client.post(path, { body: body as object });
}

describe('requests that the service would refuse', () => {
  it.each<[string, string, unknown, string, string]>([
    ['an unknown field', '/conversations', { title: 'x' }, 'unknown_parameter', 'title'],
    [
      'a deeply nested unknown field',
      '/responses',
      { model: 'm', input: 'x', text: { form: 1 } },
      'unknown_parameter',
      'text.form',
    ],
    ['a missing field', '/responses', { input: 'x' }, 'missing_required_parameter', 'model'],
    ['a wrong type', '/embeddings', { model: 7, input: 'x' }, 'invalid_type', 'model'],
    [
      'a field of another item type',
      '/conversations',
      { items: [{ ...hi, call_id: 'c' }] },
      'unknown_parameter',
      'items[0].call_id',
    ],
    ['too many items', '/conversations', { items: Array(21).fill(hi) }, 'array_above_max_length', 'items'],
    ['an unknown item type', '/conversations', { items: [{ type: 'note' }] }, 'invalid_value', 'items[0].type'],
    ['no texts', '/embeddings', { model: 'text-embedding-3-small', input: [] }, 'invalid_value', 'input'],
  ])('%s', async (_, path, body, code, param) => {
    const { client } = await setUp();
    await expect(post(client, path, body)).rejects.toMatchObject({ status: 400, code, param });
  });

  it('another key', async () => {
    const { emulator } = await setUp();
    const stranger = new OpenAI({ baseURL: emulator.baseURL, apiKey: 'sk-wrong' });
    await expect(stranger.conversations.create({})).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  it('missing objects', async () => {
    const { client } = await setUp();
    const { id } = await client.conversations.create({});
    const calls = [
      () => client.conversations.retrieve('conv_gone'),
      () => client.conversations.items.list('conv_gone'),
      () => client.conversations.items.delete('msg_gone', { conversation_id: id }),
      () => client.conversations.items.list(id, { after: 'msg_gone' }),
      () => client.vectorStores.search('vs_gone', { query: 'x' }),
      () => client.files.delete('file_gone'),
      () => client.get('/nowhere'),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ status: 404 });
  });

  it('schemas that are not strict', async () => {
    const { client } = await setUp();
    const base = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const ask = (schema: Record<string, unknown>) =>
      client.responses.create({
        model: 'm',
        input: 'x',
        text: { format: { type: 'json_schema', name: 'a', schema, strict: true } },
      });
    const nested = { ...base, properties: { a: { type: 'array', items: { type: 'object', properties: {} } } } };
    for (const schema of [
      { ...base, required: [] },
      { ...base, additionalProperties: true },
      { type: 'array' },
      nested,
    ]) {
      await expect(ask(schema)).rejects.toMatchObject({ code: 'invalid_json_schema' });
    }
  });

  it('attributes and chunks beyond their limits, and unsupported files', async () => {
    const { client } = await setUp();
    const { id } = await client.vectorStores.create({});
    const upload = (name: string) => client.files.create({ purpose: 'assistants', file: new File(['heron'], name) });
    const { id: file_id } = await upload('a.txt');
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`a${index}`, 1]));
    for (const attributes of [many, { a: 'x'.repeat(513) }, { ['x'.repeat(65)]: 1 }, { a: { b: 1 } }]) {
      await expect(post(client, `/vector_stores/${id}/files`, { file_id, attributes })).rejects.toMatchObject({
        status: 400,
      });
    }
    const rule = { max_chunk_size_tokens: 800, chunk_overlap_tokens: 401 };
    const chunking_strategy = { type: 'static' as const, static: rule };
    await expect(client.vectorStores.files.create(id, { file_id, chunking_strategy })).rejects.toMatchObject({
      status: 400,
    });
    const image = await upload('a.png');
    await expect(client.vectorStores.files.create(id, { file_id: image.id })).rejects.toMatchObject({
      code: 'unsupported_file',
    });
  });
});

describe('conversations', () => {
  it('list their items in order, page by page, from either end', async () => {
    const { client } = await setUp();
    const { id } = await client.conversations.create({ items: [hi] });
    for (let batch = 0; batch < 6; batch++) {
      const items = Array.from({ length: 20 }, (_, index) => ({ ...hi, content: `${batch * 20 + index}` }));
      await client.conversations.items.create(id, { items });
    }
    const texts = async (order: 'asc' | 'desc') => {
      const all: string[] = [];
      for await (const item of client.conversations.items.list(id, { order, limit: 50 })) {
        all.push((item as { content: { text: string }[] }).content[0]?.text ?? '');
      }
      return all;
    };
    const expected = ['Hi', ...Array.from({ length: 120 }, (_, index) => `${index}`)];
    expect(await texts('asc')).toEqual(expected);
    expect(await texts('desc')).toEqual(expected.toReversed());
    await expect(client.conversations.items.list(id, { limit: 101 })).rejects.toMatchObject({ status: 400 });
  });

  it('give every item a new id, except reasoning', async () => {
    const { client } = await setUp();
    const { id } = await client.conversations.create({});
    const { data } = await client.conversations.items.create(id, {
      items: [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] },
      ],
    });
    expect(data.map((item) => (item as { id: string }).id)).toEqual(['rs_1', expect.not.stringMatching(/^msg_1$/)]);
    expect(await client.conversations.items.retrieve('rs_1', { conversation_id: id })).toMatchObject({ id: 'rs_1' });
    await client.conversations.items.delete('rs_1', { conversation_id: id });
    await expect(client.conversations.items.delete('rs_1', { conversation_id: id })).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('vector stores', () => {
  it('find indexed files that match the filter, by words first', async () => {
    const { client } = await setUp({ indexingPolls: 2 });
    const { id } = await client.vectorStores.create({});
    for (const [text, rank] of [
      ['The heron is grey', 1],
      ['Income tax', 2],
      ['A grey heron waits', 3],
    ] as const) {
      const file = await client.files.create({ purpose: 'assistants', file: new File([text], 'a.txt') });
      const attached = await client.vectorStores.files.create(id, { file_id: file.id, attributes: { rank } });
      expect(attached.status).toBe('in_progress');
      expect((await client.vectorStores.search(id, { query: text })).data.map(({ file_id }) => file_id)).not.toContain(
        file.id,
      );
      await client.vectorStores.files.poll(id, file.id, { pollIntervalMs: 1 });
    }
    const ranks = async (filters?: OpenAI.ComparisonFilter) =>
      (await client.vectorStores.search(id, { query: 'heron waits', ...(filters && { filters }) })).data.map(
        ({ attributes }) => attributes?.rank,
      );
    expect(await ranks()).toEqual([3, 1, 2]);
    expect(await ranks({ type: 'lt', key: 'rank', value: 3 })).toEqual([1, 2]);
    expect(await ranks({ type: 'nin', key: 'rank', value: [1, 2] })).toEqual([3]);
    expect(await ranks({ type: 'ne', key: 'colour', value: 'grey' })).toEqual([]);
  });

  it('accept many files in a batch, and drop deleted ones', async () => {
    const { client } = await setUp();
    const { id } = await client.vectorStores.create({});
    const upload = () => client.files.create({ purpose: 'assistants', file: new File(['heron'], 'a.txt') });
    const files = await Promise.all([upload(), upload()]);
    await client.vectorStores.fileBatches.create(id, { files: files.map((file) => ({ file_id: file.id })) });
    expect((await client.vectorStores.files.list(id)).data).toHaveLength(2);
    await client.files.delete(files[0]?.id ?? '');
    expect((await client.vectorStores.files.list(id)).data.map((file) => file.id)).toEqual([files[1]?.id]);
  });
});

describe('faults', () => {
  it('apply to the selected requests, in order and as often as configured', async () => {
    const { emulator, client } = await setUp();
    const { id } = await client.conversations.create({});
    emulator.faults.fail({ method: 'GET', path: /conversations/, status: 503, after: 1, times: 1 });
    emulator.faults.throttle({ method: 'DELETE', retryAfterMs: 1_500 });
    const outcomes: unknown[] = [];
    for (let time = 0; time < 3; time++) {
      outcomes.push(
        await client.conversations.retrieve(id).then(
          () => 200,
          (error) => error.status,
        ),
      );
    }
    expect(outcomes).toEqual([200, 503, 200]);
    const error = await client.conversations.delete(id).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    const { headers } = error as { headers: Headers };
    expect([headers.get('retry-after-ms'), headers.get('retry-after')]).toEqual(['1500', '2']);
    emulator.faults.heal();
    await client.conversations.delete(id);
    expect(emulator.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET', 'DELETE', 'DELETE']);
  });

  it.each([
    ['before', 0],
    ['mid', 1],
    ['after', 1],
  ] as const)('cut a connection %s the request is processed', async (place, done) => {
    const { emulator, client } = await setUp();
    const { id } = await client.conversations.create({});
    emulator.faults.cut(place, { times: 1 });
    await expect(client.conversations.items.create(id, { items: [hi] })).rejects.toThrow();
    expect((await client.conversations.items.list(id)).data).toHaveLength(done);
  });

  it('delay a response', async () => {
    const { emulator, client } = await setUp();
    emulator.faults.delay(10_000);
    await expect(client.conversations.create({}, { timeout: 50 })).rejects.toThrow(/timed out/i);
  });
});
