import { withoutToolCalls } from '@keepsake/internal';
import { historyOfKinds, modelHistories, modelHistory } from '@keepsake/testing/model-histories';
import { modelInputFaults } from '@keepsake/testing/model-input-faults';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RecentItemsOptions, recentItems } from '../src/index.ts';
import { TestSession } from './support/test-session.ts';

const FORMATS = ['responses', 'agents', 'strands', 'ai-sdk', 'ui'] as const;

function recent(items: readonly object[], options: RecentItemsOptions): Promise<object[]> {
  return recentItems<object>(new TestSession(items), options);
}

const limits: fc.Arbitrary<RecentItemsOptions> = fc.record(
  { maxItems: fc.integer({ min: 1, max: 20 }), maxTurns: fc.integer({ min: 1, max: 5 }) },
  { requiredKeys: [] },
);

describe('what a model gets of a conversation', () => {
  it.each(FORMATS)(
    'is accepted by its service after a window, popItem and withoutToolCalls, as items of %s',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(modelHistories(format), limits, fc.nat({ max: 6 }), async (history, options, popped) => {
          const session = new TestSession(history.items);
          for (let count = 0; count < popped; count++) await session.popItem();
          const window = await recentItems<object>(session, options);
          expect(modelInputFaults(history, window)).toEqual([]);
          expect(modelInputFaults(history, withoutToolCalls(window))).toEqual([]);
          expect(modelInputFaults(history, await recent(withoutToolCalls(history.items), options))).toEqual([]);
        }),
        { numRuns: rounds(2_000, 300) },
      );
    },
  );

  it.each(FORMATS)('is all of it where nothing was cut off, as items of %s', async (format) => {
    const { items } = modelHistory(
      format,
      [['message']],
      [
        ['reasoning', 'call', 'reasoning', 'call'],
        ['reasoning', 'message'],
      ],
    );
    expect(await recent(items, {})).toEqual(items);
    const history = historyOfKinds(format);
    expect(modelInputFaults(history, history.items)).toEqual([]);
    expect(await recent(history.items, {})).toEqual(history.items);
  });
});

describe('withoutToolCalls', () => {
  it('is accepted by the service of the AI SDK, as messages of user interfaces', () => {
    fc.assert(
      fc.property(modelHistories('ui'), (history) => {
        expect(modelInputFaults(history, withoutToolCalls(history.items))).toEqual([]);
      }),
      { numRuns: rounds(2_000, 300) },
    );
  });

  it('keeps an answer without the reasoning and the search that led to it, as a text of its own', () => {
    const { items } = modelHistory('agents', [['reasoning', 'web search', 'message']]);
    const { id, ...answer } = items[3] as { id: string };
    expect(id).toBe('msg_4');
    expect(withoutToolCalls(items)).toEqual([items[0], answer]);
  });

  it('keeps an answer of the AI SDK without the id by which the service asks for its reasoning', () => {
    const { items } = modelHistory('ai-sdk', [['reasoning', 'hosted call', 'message']]);
    expect(withoutToolCalls(items)).toEqual([
      items[0],
      { role: 'assistant', content: [{ type: 'text', text: 'Text 4', providerOptions: { openai: {} } }] },
    ]);
  });

  it('keeps reasoning with the answer that it led to', () => {
    const { items } = modelHistory('agents', [
      ['reasoning', 'call'],
      ['reasoning', 'message'],
    ]);
    expect(withoutToolCalls(items)).toEqual([items[0], items[4], items[5]]);
  });

  it('joins what an assistant of Strands said before and after a call', () => {
    const { items } = modelHistory('strands', [['reasoning', 'message', 'call'], ['message']]);
    expect(withoutToolCalls(items)).toEqual([
      items[0],
      { role: 'assistant', content: [{ text: 'Text 3' }, { text: 'Text 5' }] },
    ]);
  });

  it('leaves out a message of Strands with nothing else than thoughts and a call', () => {
    const { items } = modelHistory('strands', [
      ['reasoning', 'call'],
      ['reasoning', 'message'],
    ]);
    expect(withoutToolCalls(items)).toEqual([items[0], items[3]]);
  });
});

describe('recentItems', () => {
  it('leaves out reasoning that nothing follows, as after a run that was cut off', async () => {
    const { items } = modelHistory('agents', [['reasoning', 'message']], [['reasoning']], [['message']]);
    expect(await recent(items, {})).toEqual(items.filter((_, index) => index !== 4));
  });

  it.each(['compaction', 'unknown'])('keeps reasoning that led to an output of the kind %s', async (type) => {
    const [question, reasoning] = modelHistory('agents', [['reasoning']]).items as object[];
    const items = [question, reasoning, { type, id: 'x_1' }] as object[];
    expect(await recent(items, {})).toEqual(items);
    expect(withoutToolCalls(items)).toEqual(items);
  });

  it('leaves out reasoning whose answer was popped', async () => {
    const { items } = modelHistory('agents', [['reasoning', 'message']]);
    const session = new TestSession(items);
    await session.popItem();
    expect(await session.getItems()).toEqual(items.slice(0, 2));
    expect(await recentItems<object>(session, {})).toEqual(items.slice(0, 1));
  });

  it('keeps an answered call beside one without an answer, without their reasoning', async () => {
    const { items } = modelHistory('agents', [['reasoning', 'open call', 'call']]);
    const { id, ...call } = items[3] as { id: string };
    expect(id).toBe('fc_4');
    expect(await recent(items, {})).toEqual([items[0], call, items[4]]);
  });

  it('leaves out a program whose reasoning is left out, with its calls, because it is nothing without its id', async () => {
    const { items } = modelHistory('responses', [['reasoning', 'open call', 'program with calls'], ['message']]);
    expect(await recent(items, {})).toEqual([items[0], items.at(-1)]);
  });

  it('leaves out reasoning before a result of the client, which has an id in a conversation of the service', async () => {
    const { items } = modelHistory('responses', [['shell call'], ['message']]);
    const [asked, call, result, answer] = items as [object, object, object, object];
    const stored = { ...result, id: 'sho_1' };
    const thought = { type: 'reasoning', id: 'rs_1', summary: [] };
    expect(await recent([asked, call, thought, stored, answer], {})).toEqual([asked, call, stored, answer]);
  });

  it.each(['settings', 'tools', 'instructions'])('leaves out reasoning that only %s follow', async (what) => {
    const { items } = modelHistory('responses', [['reasoning']], [`question after ${what}`, ['message']]);
    expect(await recent(items, {})).toEqual(items.toSpliced(1, 1));
  });

  it.each(['sources', 'data'])('leaves out reasoning before %s, which models do not get', async (part) => {
    const { items } = modelHistory('ui', [['reasoning', part, 'reasoning']], [['message']]);
    const [asked, answer, ...rest] = items as { parts: { type: string }[] }[];
    const parts = answer?.parts.filter(({ type }) => type !== 'reasoning');
    expect(await recent(items, {})).toEqual([asked, { ...answer, parts }, ...rest]);
  });

  it('leaves out reasoning that was cut off by a message of the user', async () => {
    const { items } = modelHistory('ui', [['reasoning', 'message of the user'], ['message']]);
    const [asked, answer] = items as { parts: object[] }[];
    expect(await recent(items, {})).toEqual([asked, { ...answer, parts: answer?.parts.toSpliced(1, 1) }]);
  });

  it('leaves out a call of a user interface that was decided about, but did not run, unless it is in the newest message', async () => {
    const { items } = modelHistory('ui', [['decided approval']], [['message']]);
    expect(await recent(items, {})).toEqual([items[0], ...items.slice(2)]);
    expect(await recent(items.slice(0, 2), {})).toEqual(items.slice(0, 2));
  });

  it('joins answers of the AI SDK with parts that only its provider knows', async () => {
    const { items } = modelHistory('ai-sdk', [['compaction'], ['message']]);
    const [asked, first, second] = items as { role: string; content: object[] }[];
    const content = [...(first?.content ?? []), ...(second?.content ?? [])];
    expect(await recent(items, {})).toEqual([asked, { ...first, content }]);
  });

  it('joins messages of the AI SDK of one role in a row, for services that need alternating roles', async () => {
    const { items } = modelHistory('ai-sdk', [['open call']], [['reasoning', 'call'], ['message']]);
    const [first, , second, call, result, answer] = items as { role: string; content: object[] }[];
    const joined = { ...first, content: [...(first?.content ?? []), ...(second?.content ?? [])] };
    expect(await recent(items, {})).toEqual([joined, call, result, answer]);
  });

  it('joins two questions of which the first was not answered, for services that need alternating roles', async () => {
    const { items } = modelHistory('strands', [['open call']], [['message']]);
    expect(await recent(items, {})).toEqual([
      { role: 'user', content: [{ text: 'Question 1' }, { text: 'Question 3' }] },
      items[3],
    ]);
  });
});
