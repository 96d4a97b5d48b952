import { ModelExtractor } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { managerOf, ScriptedModel, user } from './support.ts';

/* Answers of models that contradict themselves, or repeat the example of their prompt. */

type Change = { readonly action: string; readonly id: string | null; readonly content: string | null };

const add = (content: string): Change => ({ action: 'add', id: null, content });
/** Of the memory that the prompt shows with this content. */
const update = (known: string, content: string) => ({ action: 'update', known, content });
const remove = (known: string) => ({ action: 'delete', known, content: null });

type Scripted = Change | ReturnType<typeof update> | ReturnType<typeof remove>;

const cat = 'The user has a cat called Miso.';
const home = 'The user lives in Berlin.';
const job = 'The user works at Bosch.';

/** What a store of memories has after one answer, and how many failures were reported. */
async function after(known: readonly string[], ...changes: readonly Scripted[]) {
  const numbered = (prompt: string) => (change: Scripted) => {
    if (!('known' in change)) return change;
    const id = new RegExp(`<memory id="(\\d+)"[^>]*>${change.known}<`).exec(prompt)?.[1] ?? change.known;
    return { action: change.action, id, content: change.content };
  };
  const model = new ScriptedModel((prompt: string) => ({ changes: changes.map(numbered(prompt)) }));
  const extraction = { trigger: { name: 'never', attach() {} }, extractor: new ModelExtractor({ model }) };
  const store = new InMemoryStore({ name: 'facts', extraction });
  for (const content of known) await store.add(content);
  const { memory, reports } = managerOf({ stores: [store] });
  memory.conversation({ id: 'chat' }).observe(user('My cat Miso, Berlin, where the user lives, and work at Bosch.'));
  await memory.flush();
  const { items } = await store.list({ order: 'oldest' });
  return { contents: items.map(({ content }) => content).sort(), reported: reports.length };
}

describe('deleting a memory and adding the same text changes nothing', () => {
  it.each([
    ['the deletion first', [remove(cat), add(cat)]],
    ['the addition first', [add(cat), remove(cat)]],
    ['in other white space', [remove(cat), add(`  ${cat} `)]],
    ['twice', [remove(cat), remove(cat), add(cat)]],
  ])('%s', async (_, changes) => {
    expect(await after([cat, home], ...changes)).toEqual({ contents: [cat, home].sort(), reported: 0 });
  });
});

describe('the example of the prompt', () => {
  it.each([
    ['as it is', [add('…'), update('…', '…'), remove('…')]],
    ['with ids of memories', [update(cat, '…'), remove(home)]],
    ['with dots', [update(cat, '...'), remove(home)]],
  ])('changes nothing, %s', async (_, changes) => {
    const { contents, reported } = await after([cat, home], ...changes);
    expect(contents).toEqual([cat, home].sort());
    expect(reported).toBeGreaterThan(0);
  });

  it('does not cost the facts beside it', async () => {
    const { contents, reported } = await after([cat], update(cat, '…'), remove(cat), add(home));
    expect(contents).toEqual([cat, home].sort());
    expect(reported).toBe(1);
  });
});

describe('several changes of one memory', () => {
  it('are all kept', async () => {
    const changes = [update(cat, home), update(cat, job)];
    expect(await after([cat], ...changes)).toEqual({ contents: [home, job].sort(), reported: 0 });
  });

  it('report a deletion that contradicts an update', async () => {
    expect(await after([cat], update(cat, home), remove(cat))).toEqual({ contents: [home], reported: 1 });
    expect(await after([cat], remove(cat), update(cat, home))).toEqual({ contents: [home], reported: 1 });
  });

  it('keep a text that an update takes away and an addition tells again', async () => {
    const changes = [add(cat), update(cat, home)];
    expect(await after([cat], ...changes)).toEqual({ contents: [cat, home].sort(), reported: 0 });
  });
});

describe.each(['null', 'None', '"N/A"', 'No change', 'Unchanged.', 'Nothing to add', 'string'])(
  'a content that stands for nothing: %s',
  (blank) => {
    it.each([
      ['replaces no memory', [update(cat, blank), add(job)], [cat, home, job]],
      ['is not stored', [add(blank), add(job)], [cat, home, job]],
      ['is no new wording of what is deleted', [remove(cat), add(blank)], [cat, home]],
      ['is no new wording in an update of an unknown memory', [remove(cat), update('99', blank)], [cat, home]],
    ])('%s', async (_, changes, contents) => {
      expect(await after([cat, home], ...changes)).toEqual({ contents: contents.sort(), reported: 1 });
    });
  },
);

it('a memory may contain the words of a placeholder', async () => {
  const contents = ['None of the cats is called Tom.', 'The user wants no change of diet.', 'The value null is a bug.'];
  expect(await after([home], ...contents.map(add))).toEqual({ contents: [home, ...contents].sort(), reported: 0 });
});

it('"No change" of one memory leaves the deletion of another', async () => {
  expect(await after([cat, home], update(cat, 'No change'), remove(home))).toEqual({ contents: [cat], reported: 1 });
});

it('an answer that says only that there is nothing is no failure', async () => {
  const model = new ScriptedModel({ changes: [{ action: 'add', content: 'None' }] });
  const extraction = { trigger: { name: 'never', attach() {} }, extractor: new ModelExtractor({ model }) };
  const store = new InMemoryStore({ name: 'facts', extraction });
  const { memory } = managerOf({ stores: [store] });
  memory.conversation({ id: 'chat' }).observe(user('I live in Berlin.'));
  expect(Object.values(await memory.flush())).toMatchObject([{ failed: 0 }]);
  expect((await store.list()).items).toEqual([]);
});
