import { type ExtractionBatch, type MemoryChange, MemoryManager, type RecordStore } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import type { ChangingFact, Lesson } from './changing-fact.ts';
import { changingFacts } from './changing-facts.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A store that learns what the dialogues say, through a manager. */
function learner({ told }: ChangingFact) {
  const extractor = {
    async extract({ messages, known }: ExtractionBatch): Promise<MemoryChange[]> {
      const idOf = (content: string) => known.find((entry) => entry.content === content)?.id ?? `unknown ${content}`;
      const toChange = (lesson: Lesson): MemoryChange => {
        if ('add' in lesson) return { kind: 'add', content: lesson.add };
        if ('end' in lesson) return { kind: 'delete', id: idOf(lesson.end) };
        return { kind: 'update', id: idOf(lesson.from), content: lesson.to };
      };
      const said = messages.map(({ content }) => content);
      return told.filter(({ says }) => said.includes(says)).flatMap(({ learns }) => learns.map(toChange));
    },
  };
  const trigger = { name: 'never', attach() {} };
  const store = new InMemoryStore({ name: 'facts', extraction: { trigger, extractor } });
  return { store, manager: new MemoryManager({ stores: [store], telemetry: { logger: silent } }) };
}

async function contentsOf(store: RecordStore, options: Parameters<RecordStore['list']>[0] = {}): Promise<string[]> {
  return (await store.list(options)).items.map(({ content }) => content).sort();
}

it('there are 30 dialogues or more', () => {
  expect(changingFacts.length).toBeGreaterThanOrEqual(30);
});

describe.each(changingFacts.map((fact) => [fact.about, fact] as const))('%s', (_, fact) => {
  /** Tells everything, and returns a time after each message. */
  async function tell() {
    const { store, manager } = learner(fact);
    const times: string[] = [];
    for (const [day, { says, holds }] of fact.told.entries()) {
      const conversation = manager.conversation({ id: `day ${day}` });
      conversation.observe({ role: 'user', content: says });
      expect(await manager.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
      expect(await contentsOf(store)).toEqual(holds);
      times.push(new Date().toISOString());
      // The next change is later.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return { store, manager, times };
  }

  it('the present view, the earlier views and the block are right', async () => {
    const { store, manager, times } = await tell();
    for (const [day, asOf] of times.entries()) {
      expect(await contentsOf(store, { asOf }), `after day ${day}`).toEqual(fact.told[day]?.holds);
    }
    const now = fact.told.at(-1)?.holds ?? [];
    const past = fact.told.flatMap(({ holds }) => holds).filter((content) => !now.includes(content));
    for (const content of past) {
      const found = (await store.search(content)).map((entry) => entry.content);
      expect(found).not.toContain(content);
      const block = await manager.conversation({ id: 'ask' }).block([{ role: 'user', content }]);
      expect(block ?? '').not.toContain(content);
    }
    for (const content of now) expect((await store.search(content))[0]?.content).toBe(content);
  });

  it('deleting a fact by the id of any version leaves no version', async () => {
    const { store } = await tell();
    for (;;) {
      const { items } = await store.list({ history: true, order: 'oldest' });
      const middle = items[items.length >> 1];
      if (middle === undefined) break;
      const versions = await store.history(middle.id);
      expect(await store.delete(middle.id)).toBe(true);
      for (const { id } of versions) expect(await store.get(id)).toBeUndefined();
      expect((await store.list({ history: true })).items).toHaveLength(items.length - versions.length);
    }
    expect(await store.search(fact.told[0]?.says ?? '')).toEqual([]);
  });

  it('clearing the store leaves no version', async () => {
    const { store, times } = await tell();
    await store.clear();
    expect((await store.list({ history: true })).items).toEqual([]);
    for (const asOf of times) expect(await contentsOf(store, { asOf })).toEqual([]);
  });
});
