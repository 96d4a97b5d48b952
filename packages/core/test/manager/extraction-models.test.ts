import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { ModelExtractor } from '../../src/index.ts';
import { adds, extractionOf, MessageStore, ScriptedModel, TextStore, user } from './support/extraction.ts';

const never = { trigger: { name: 'never', attach() {} } };
const modelOf = (name: string) => new ScriptedModel(adds(`Learned by ${name}`));
const missing = memoryError('INVALID_ARGUMENT', /the store "facts" needs a model: pass `model` to the manager/);

describe('the model of a conversation', () => {
  it('extracts from its messages, if the manager has none', async () => {
    const store = new TextStore('facts', never);
    const { extraction } = extractionOf({ stores: [store] });
    for (const name of ['a', 'b']) extraction.conversation(name, modelOf(name)).observe([user('Hello')]);
    expect(await extraction.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
    expect(store.added.map(({ content, metadata }) => [metadata?.sourceThread, content])).toEqual([
      ['a', 'Learned by a'],
      ['b', 'Learned by b'],
    ]);
  });

  it('is kept for later calls without one, and replaced by a later one', async () => {
    const store = new TextStore('facts', never);
    const { extraction } = extractionOf({ stores: [store] });
    const first = extraction.conversation('chat', modelOf('the first'));
    extraction.conversation('chat').observe([user('one')]);
    await extraction.flush();
    extraction.conversation('chat', modelOf('the second'));
    first.observe([user('two')]);
    await extraction.flush();
    expect(store.added.map(({ content }) => content)).toEqual(['Learned by the first', 'Learned by the second']);
  });

  it('is kept while there are unsaved messages, however many conversations there are', async () => {
    const store = new TextStore('facts', never);
    const { extraction } = extractionOf({ stores: [store] });
    extraction.conversation('first', modelOf('the first')).observe([user('Hello')]);
    for (let id = 0; id < 1_500; id++) extraction.conversation(`chat ${id}`, modelOf('another')).observe([user('Hi')]);
    extraction.conversation('first');
    await extraction.flush();
    expect(store.added.filter(({ metadata }) => metadata?.sourceThread === 'first')).toMatchObject([
      { content: 'Learned by the first' },
    ]);
  });

  it('is not used if the manager or the extractor has one', async () => {
    const own = new TextStore('own', { ...never, extractor: new ModelExtractor({ model: modelOf('the extractor') }) });
    const facts = new TextStore('facts', never);
    const { extraction } = extractionOf({ stores: [own, facts], model: modelOf('the manager') });
    extraction.conversation('chat', modelOf('the conversation')).observe([user('Hello')]);
    await extraction.flush();
    expect(own.added).toMatchObject([{ content: 'Learned by the extractor' }]);
    expect(facts.added).toMatchObject([{ content: 'Learned by the manager' }]);
  });

  it('is required if a store needs it: the error names the store and says what to pass', () => {
    const { extraction } = extractionOf({ stores: [new MessageStore('talk'), new TextStore('facts')] });
    expect(() => extraction.conversation('chat')).toThrow(missing);
    extraction.conversation('chat', modelOf('chat'));
    extraction.conversation('chat');
    expect(() => extraction.conversation('another')).toThrow(missing);
    const withModel = extractionOf({ stores: [new TextStore('facts')], model: modelOf('the manager') }).extraction;
    withModel.conversation('chat');
  });

  it('is not required by a store of messages', () => {
    const { extraction } = extractionOf({ stores: [new MessageStore('talk')] });
    extraction.conversation('chat');
  });
});
