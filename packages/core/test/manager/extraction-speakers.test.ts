import { strictSchema } from '@keepsake/internal';
import { describe, expect, it } from 'vitest';
import { type ExtractionBatch, type MemoryChange, type Message, ModelExtractor } from '../../src/index.ts';
import { acceptChanges } from '../../src/manager/extraction/accept-changes.ts';
import { assistant, ScriptedModel, user } from './support/extraction.ts';

const known = [{ id: 'berlin', content: 'The user lives in Berlin.' }];

const batchOf = (...messages: Message[]): ExtractionBatch => ({
  messages,
  observedAt: '2026-11-22T10:00:00.000Z',
  known,
  canRevise: true,
  signal: new AbortController().signal,
});

const add = (speaker: unknown) => ({ action: 'add', id: null, content: `Said by ${speaker}`, speaker });

describe('a ModelExtractor', () => {
  it('asks who said it', async () => {
    const model = new ScriptedModel({ changes: [] });
    await new ModelExtractor({ model }).extract(batchOf(user('Hello')));
    const [request] = model.requests;
    expect(request?.system).toMatch(/"speaker": the role of the message/);
    expect(JSON.stringify(request?.schema)).toContain(
      '"speaker":{"anyOf":[{"type":"string","enum":["user","assistant"',
    );
    expect(strictSchema(request?.schema ?? {})).toEqual(request?.schema);
  });

  it('names the speakers of additions and updates', async () => {
    const changes = [add('user'), add('assistant'), add(null), { ...add('user'), action: 'update', id: '1' }];
    const model = new ScriptedModel({ changes });
    const batch = batchOf(user('I moved'), assistant('Oslo is in Norway'));
    expect(await new ModelExtractor({ model }).extract(batch)).toEqual([
      { kind: 'add', content: 'Said by user', speaker: 'user' },
      { kind: 'add', content: 'Said by assistant', speaker: 'assistant' },
      { kind: 'add', content: 'Said by null' },
      { kind: 'update', id: 'berlin', content: 'Said by user', speaker: 'user' },
    ]);
    const [first] = await new ModelExtractor({ model, consolidate: false }).extract(batch);
    expect(first).toEqual({ kind: 'add', content: 'Said by user', speaker: 'user' });
  });

  it('believes no speaker who said nothing: a tool can ask the model to name the user', async () => {
    const model = new ScriptedModel({ changes: [add('user'), add('tool'), add('God'), add(5)] });
    const changes = await new ModelExtractor({ model }).extract(
      batchOf(assistant('Hi'), { role: 'tool', content: '5 pm' }),
    );
    expect(changes.map((change) => (change as { speaker?: string }).speaker)).toEqual([
      undefined,
      'tool',
      undefined,
      undefined,
    ]);
  });
});

describe('the speaker of a change', () => {
  const accept = (changes: unknown[], speaker: 'user' | undefined) => {
    const left: number[] = [];
    const onLeftOut = (_: unknown, count: number) => void left.push(count);
    return { accepted: acceptChanges(changes, { known, speaker, canRevise: true, max: 50, onLeftOut }), left };
  };
  const changes: MemoryChange[] = [
    { kind: 'add', content: 'one' },
    { kind: 'add', content: 'two', speaker: 'tool' },
    { kind: 'update', id: 'berlin', content: 'three' },
    { kind: 'update', id: 'unknown', content: 'four', speaker: 'assistant' },
    { kind: 'delete', id: 'berlin' },
  ];

  it('is the one that the extractor names, or else the one of all messages', () => {
    expect(accept(changes, 'user').accepted).toEqual([
      { kind: 'update', id: 'berlin', content: 'three', speaker: 'user' },
      { kind: 'add', content: 'one', speaker: 'user' },
      { kind: 'add', content: 'two', speaker: 'tool' },
      { kind: 'add', content: 'four', speaker: 'assistant' },
    ]);
    expect(accept(changes, undefined).accepted).toEqual([
      { kind: 'update', id: 'berlin', content: 'three' },
      { kind: 'add', content: 'one' },
      { kind: 'add', content: 'two', speaker: 'tool' },
      { kind: 'add', content: 'four', speaker: 'assistant' },
    ]);
  });

  it('must be a role, or the change is left out', () => {
    const { accepted, left } = accept(
      [...changes.slice(0, 1), { kind: 'add', content: 'x', speaker: 'Bob' }],
      undefined,
    );
    expect(accepted).toHaveLength(1);
    expect(left).toEqual([1]);
  });
});
