import { redactText } from '@keepsake/privacy';
import { useDirectory } from '@keepsake/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { localDirectory, type SegmentInput, WorkspaceMemory } from '../src/index.ts';
import { encodeRolloutId } from '../src/transcript/rollout-id.ts';
import { TERMINAL_STATES } from '../src/transcript/segment.ts';
import { scriptedModel } from './support/model.ts';
import { said } from './support/segments.ts';

const directory = useDirectory();
let memory: WorkspaceMemory;
beforeEach(() => {
  memory = new WorkspaceMemory({ workspace: localDirectory(directory.path), model: scriptedModel() });
});

/** Appends a segment and returns it as written. */
async function written(segment: SegmentInput) {
  const run = memory.run();
  await run.append(segment);
  const path = `sessions/${encodeRolloutId(run.rolloutId)}.jsonl`;
  const text = (await localDirectory(directory.path).read(path))?.text ?? '';
  expect(text.endsWith('\n') && text.split('\n').length === 2).toBe(true);
  return JSON.parse(text);
}

const ended = { state: 'completed', hasFinalOutput: true } as const;

describe('a segment', () => {
  it('has the documented fields', async () => {
    const updatedAt = '2026-05-03T09:12:00.000Z';
    const interruptions = [{ type: 'tool_approval_item', name: 'deploy' }];
    const terminal = {
      state: 'failed',
      exceptionType: 'TypeError',
      exceptionMessage: 'x is null',
      hasFinalOutput: false,
    } as const;
    const answer = [{ role: 'assistant', content: 'Yes.' }];
    expect(
      await written({
        input: 'Deploy?',
        generatedItems: answer,
        interruptions,
        terminal,
        finalOutput: { ok: true },
        updatedAt,
      }),
    ).toEqual({
      updatedAt,
      rolloutId: expect.any(String),
      input: [{ role: 'user', content: 'Deploy?' }],
      generatedItems: answer,
      interruptions,
      terminal,
      finalOutput: { ok: true },
    });
  });

  it.each(TERMINAL_STATES)('can end as %s', async (state) => {
    expect((await written({ ...said('x'), terminal: { state, hasFinalOutput: false } })).terminal.state).toBe(state);
  });

  it.each<[string, object]>([
    ['another state', { ...said('x'), terminal: { state: 'done', hasFinalOutput: true } }],
    ['no state', { ...said('x'), terminal: { hasFinalOutput: true } }],
    ['no terminal', { input: 'x', generatedItems: [] }],
    ['no input', { generatedItems: [], terminal: ended }],
    ['an invalid time', { ...said('x'), updatedAt: 'yesterday' }],
    ['an unknown field', { ...said('x'), output: 'x' }],
  ])('with %s is refused, and nothing is written', async (_, segment) => {
    await expect(memory.run().append(segment as SegmentInput)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect((await localDirectory(directory.path).list('sessions')).filter((path) => path.endsWith('.jsonl'))).toEqual(
      [],
    );
  });

  it('leaves out system, developer and reasoning content, and keeps tool items', async () => {
    const call = { type: 'function_call', callId: '1', name: 'shell', arguments: '{"cmd":"ls"}' };
    const result = { type: 'function_call_result', callId: '1', output: { type: 'text', text: 'a.ts' } };
    const { input, generatedItems } = await written({
      input: [
        { role: 'system', content: 'HIDDEN' },
        { role: 'developer', content: 'HIDDEN' },
        { role: 'user', content: [{ text: 'List' }] },
      ],
      generatedItems: [
        { type: 'reasoning', content: [{ type: 'input_text', text: 'HIDDEN' }] },
        call,
        result,
        {
          role: 'assistant',
          content: [{ reasoning: { text: 'HIDDEN' } }, { type: 'thinking', thinking: 'HIDDEN' }, { text: 'One.' }],
          providerData: { reasoning: 'HIDDEN' },
        },
        { role: 'assistant', content: [{ reasoningContent: 'HIDDEN' }] },
        { role: 'tool', content: [{ toolResult: { toolUseId: '2', content: [{ text: 'kept' }] } }] },
      ],
      terminal: ended,
    });
    expect(JSON.stringify([input, generatedItems])).not.toContain('HIDDEN');
    expect(input).toEqual([{ role: 'user', content: [{ text: 'List' }] }]);
    expect(generatedItems).toEqual([
      call,
      result,
      { role: 'assistant', content: [{ text: 'One.' }] },
      { role: 'tool', content: [{ toolResult: { toolUseId: '2', content: [{ text: 'kept' }] } }] },
    ]);
  });

  it('replaces binary data with its size', async () => {
    const base64 = Buffer.alloc(300, 7).toString('base64');
    const { input } = await written({
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image: `data:image/png;base64,${base64}` },
            { image: { format: 'png', source: { bytes: new Uint8Array(64) } } },
            { type: 'input_audio', audio: { data: base64, format: 'mp3' } },
            { type: 'input_text', text: `See ![it](data:image/gif;base64,${base64}) here` },
            { buffer: new ArrayBuffer(9) },
          ],
        },
      ],
      generatedItems: [],
      terminal: ended,
    });
    expect(input[0].content).toEqual([
      { type: 'input_image', image: { type: 'image/png', byteLength: 300 } },
      { image: { format: 'png', source: { bytes: { type: 'bytes', byteLength: 64 } } } },
      { type: 'input_audio', audio: { data: { type: 'base64', byteLength: 300 }, format: 'mp3' } },
      { type: 'input_text', text: 'See ![it]([image/gif, 300 bytes]) here' },
      { buffer: { type: 'bytes', byteLength: 9 } },
    ]);
  });

  it('accepts values that JSON does not support, and refuses cycles', async () => {
    const { generatedItems } = await written({
      input: 'x',
      generatedItems: [{ at: new Date(0), big: 10n, not: Number.NaN, gone: undefined, call() {} }, 'text', null],
      terminal: ended,
    });
    expect(generatedItems).toEqual([{ at: '1970-01-01T00:00:00.000Z', big: '10', not: 'NaN' }, 'text', null]);
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    await expect(memory.run().append({ ...said('x'), generatedItems: [cycle] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});

/* Joined from pieces, so that secret scanners ignore this file. */
const SECRETS: readonly (readonly [name: string, secret: string])[] = [
  ['a GitHub token', `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'}`],
  ['an npm token', `npm_${'abcdefghijklmnopqrstuvwxyz0123456789'}`],
  ['a GitLab token', `glpat-${'abcdefghij0123456789'}`],
  ['an AWS access key id', `AKIA${'Z7QKJ3HX2N4BWMTP'}`],
  ['a Google key', `AIza${'SyA1234567890abcdefghijklmnopqrstuv'}`],
  ['an OpenAI key', `sk-proj-${'Zm9vYmFyYmF6cXV4'.repeat(3)}`],
  ['an Anthropic key', `sk-ant-api03-${'a1'.repeat(40)}-AAAA`],
  ['a Slack token', `xoxb-${'123456789012-1234567890123-abcdefghijklmnopqrstuvwx'}`],
  ['a Stripe key', `sk_live_${'abcdefghijklmnopqrstuvwx'}`],
  [
    'a JSON Web Token',
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'}`,
  ],
  ['a password in a connection string', `hunter${'2-of-the-database'}`],
  ['a private key', `MIIEpAIBAAKCAQEA${'1234567890abcdefghijklmnopqrstuvwxyzABCDEF'}`],
];

function mention(name: string, secret: string): string {
  if (name.includes('connection string')) return `postgres://admin:${secret}@db.example.org:5432/invoices`;
  if (name.includes('private key')) return `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`;
  return `It is ${secret} now`;
}

describe('secrets', () => {
  it.each(SECRETS)('%s in any part of a segment is never written', async (name, secret) => {
    const text = mention(name, secret);
    const nested = JSON.stringify({ outer: JSON.stringify({ text }) });
    const line = JSON.stringify(
      await written({
        input: [{ role: 'user', content: text }],
        generatedItems: [{ type: 'function_call', arguments: nested }, { deep: [{ er: text }] }],
        terminal: { state: 'failed', exceptionMessage: text, hasFinalOutput: false },
        finalOutput: { text },
      }),
    );
    expect(line).not.toContain(secret);
    expect(line).toContain('[redacted]');
    expect(line).toContain('function_call');
  });

  it('are recognised by the names of fields and variables', async () => {
    const { input } = await written({
      input: [
        {
          password: 'correct horse',
          apiKey: 'x',
          nested: { authorization: 'whatever', clientSecret: 'y' },
          user: 'alice',
        },
      ],
      generatedItems: [],
      terminal: ended,
    });
    expect(input[0]).toEqual({
      password: '[redacted]',
      apiKey: '[redacted]',
      nested: { authorization: '[redacted]', clientSecret: '[redacted]' },
      user: 'alice',
    });
    expect(redactText('DB_PASSWORD="correct horse"')).toBe('DB_PASSWORD="[redacted]"');
    expect(redactText('export API_TOKEN=s3cretvalue')).toBe('export API_TOKEN=[redacted]');
    expect(redactText('authorization: Bearer 0123456789abcdef0123')).toBe('authorization: Bearer [redacted]');
    expect(redactText(String.raw`{"a":"{\"password\":\"hunter22\"}"}`)).toBe(
      String.raw`{"a":"{\"password\":\"[redacted]\"}"}`,
    );
  });

  it('are redacted as numbers, in lists, as field names, and in pairs of name and value', async () => {
    const token = SECRETS[0]?.[1] ?? '';
    const { input } = await written({
      input: [
        {
          password: 90210777,
          tokens: 512,
          apiKey: ['one', { deep: 'two' }],
          credentials: { user: 'alice', value: 'three', maxTokens: 9 },
          [token]: 'x',
          env: [
            { name: 'DB_PASSWORD', value: 'correct horse' },
            { key: 'EDITOR', value: 'vi' },
          ],
          headers: [
            ['Authorization', 'four'],
            ['Accept', 'text/plain'],
          ],
        },
      ],
      generatedItems: [],
      terminal: ended,
    });
    expect(input[0]).toEqual({
      password: '[redacted]',
      tokens: 512,
      apiKey: '[redacted]',
      credentials: '[redacted]',
      '[redacted]': 'x',
      env: [
        { name: 'DB_PASSWORD', value: '[redacted]' },
        { key: 'EDITOR', value: 'vi' },
      ],
      headers: [
        ['Authorization', '[redacted]'],
        ['Accept', 'text/plain'],
      ],
    });
  });

  it('are not found in ordinary code', async () => {
    const text =
      'const password: string = read(); // tokens: 512, see https://example.org/a:b?c=d and git@host:repo\nsha 0123456789abcdef0123456789abcdef01234567';
    expect(redactText(text)).toBe(text);
  });
});
