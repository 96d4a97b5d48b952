import type { BaseStore, Item, Operation } from '@langchain/langgraph-checkpoint';

/** A difference between InMemoryStore of LangGraph and KeepsakeStore. */
interface Fault {
  readonly title: string;
  /** Why the answer of LangGraph is not what a store should do. */
  readonly reason: string;
  readonly shows: (store: BaseStore) => Promise<unknown>;
  /** What LangGraph answers. */
  readonly theirs: unknown;
  /** What we answer, or the code of our error. */
  readonly ours: { readonly answer: unknown } | { readonly code: string };
}

export const FAULTS: readonly Fault[] = [
  {
    title: 'a namespace stays listed after its last item was deleted',
    reason: 'PostgresStore and RedisStore list only namespaces with items.',
    async shows(store) {
      await store.put(['a'], 'k', { n: 1 });
      await store.delete(['a'], 'k');
      return store.listNamespaces();
    },
    theirs: [['a']],
    ours: { answer: [] },
  },
  {
    title: 'deleting an item that does not exist creates its namespace',
    reason: 'A deletion must not create anything.',
    async shows(store) {
      await store.delete(['a'], 'k');
      return store.listNamespaces();
    },
    theirs: [['a']],
    ours: { answer: [] },
  },
  {
    title: 'a value that the caller changes later changes in the store',
    reason: 'No store that writes anywhere can do that, so programs that pass their tests fail in production.',
    async shows(store) {
      const value = { n: 1 };
      await store.put(['a'], 'k', value);
      value.n = 2;
      return (await store.get(['a'], 'k'))?.value;
    },
    theirs: { n: 2 },
    ours: { answer: { n: 1 } },
  },
  {
    title: 'an item that was read changes with the next put',
    reason: 'Reads of a batch see what was there before its puts, and an answer must not change after it was given.',
    async shows(store) {
      await store.put(['a'], 'k', { n: 1 });
      const operations: Operation[] = [
        { namespace: ['a'], key: 'k' },
        { namespace: ['a'], key: 'k', value: { n: 2 } },
      ];
      const [item]: readonly unknown[] = await store.batch(operations);
      return (item as Item).value;
    },
    theirs: { n: 2 },
    ours: { answer: { n: 1 } },
  },
  {
    title: 'a value that JSON can not hold is kept',
    reason: 'Other stores of LangGraph change it without saying so: a Date becomes a string.',
    async shows(store) {
      await store.put(['a'], 'k', { time: new Date(0) });
      return (await store.get(['a'], 'k'))?.value;
    },
    theirs: { time: new Date(0) },
    ours: { code: 'INVALID_ARGUMENT' },
  },
  {
    title: 'a filter by a list finds everything if the list is empty',
    reason: 'An empty list passes as a set of no operators.',
    async shows(store) {
      await store.put(['a'], 'k', { tags: ['x'] });
      return (await store.search(['a'], { filter: { tags: [] } })).length;
    },
    theirs: 1,
    ours: { answer: 0 },
  },
  {
    title: 'a filter by a list or an object finds nothing',
    reason: 'It compares identities instead of contents.',
    async shows(store) {
      await store.put(['a'], 'k', { tags: ['x'], at: { x: 1, y: 2 } });
      return (await store.search(['a'], { filter: { tags: ['x'], at: { y: 2, x: 1 } } })).length;
    },
    theirs: 0,
    ours: { answer: 1 },
  },
  {
    title: 'an unknown operator finds nothing',
    reason: 'A misspelt operator must not look like an empty store.',
    async shows(store) {
      await store.put(['a'], 'k', { n: 1 });
      return (await store.search(['a'], { filter: { n: { $gtt: 0 } } })).length;
    },
    theirs: 0,
    ours: { code: 'INVALID_ARGUMENT' },
  },
  {
    title: 'a filter by undefined finds the items without that field',
    reason: 'A filter by a user that is missing by mistake must not find the items of nobody.',
    async shows(store) {
      await store.put(['a'], 'k', { n: 1 });
      return (await store.search(['a'], { filter: { userId: undefined } })).length;
    },
    theirs: 1,
    ours: { code: 'INVALID_ARGUMENT' },
  },
  {
    title: 'a filter sees what every object inherits',
    reason: 'These are not fields of the value, and no value has a function.',
    async shows(store) {
      await store.put(['a'], 'k', { n: 1 });
      return (await store.search(['a'], { filter: { constructor: Object } })).length;
    },
    theirs: 1,
    ours: { code: 'INVALID_ARGUMENT' },
  },
  {
    title: 'a query finds everything without embeddings',
    reason: 'The query is ignored. Ours ranks by words, and by meaning if the store has an embedder.',
    async shows(store) {
      await store.put(['a'], 'tea', { text: 'Likes green tea' });
      await store.put(['a'], 'car', { text: 'Drives to work' });
      return (await store.search(['a'], { query: 'green tea' })).map(({ key }) => key);
    },
    theirs: ['tea', 'car'],
    ours: { answer: ['tea'] },
  },
  {
    title: 'a list of namespaces without conditions shifts the answers of its batch',
    reason: 'The operation gets no answer at all if its `matchConditions` is left out, as its type allows.',
    async shows(store) {
      await store.put(['a'], 'k', { n: 1 });
      const operations: Operation[] = [
        { limit: 10, offset: 0 },
        { namespace: ['a'], key: 'none' },
      ];
      return store.batch(operations);
    },
    theirs: [null],
    ours: { answer: [[['a']], null] },
  },
  {
    title: 'a depth of 0 gives a namespace that can not exist',
    reason: 'A label is never empty.',
    async shows(store) {
      await store.put(['a'], 'k', { n: 1 });
      return store.listNamespaces({ maxDepth: 0 });
    },
    theirs: [['']],
    ours: { code: 'INVALID_ARGUMENT' },
  },
  {
    title: 'namespaces are sorted by the language of the machine',
    reason: 'Pages that two machines read would differ. Ours sorts by code units.',
    async shows(store) {
      for (const label of ['b', 'B', 'a']) await store.put([label], 'k', { n: 1 });
      return store.listNamespaces();
    },
    theirs: [['a'], ['b'], ['B']],
    ours: { answer: [['B'], ['a'], ['b']] },
  },
  {
    title: 'a search without a query returns namespaces in the order in which this process first wrote to them',
    reason:
      'The order is lost with the process. Ours is the order of namespaces of the store, the same in every process.',
    async shows(store) {
      await store.put(['a', 'z'], 'k', { n: 1 });
      await store.put(['a', 'b'], 'k', { n: 2 });
      await store.delete(['a', 'z'], 'k');
      await store.put(['a', 'z'], 'k', { n: 3 });
      return (await store.search(['a'])).map(({ value }) => value.n);
    },
    theirs: [3, 2],
    ours: { answer: [2, 3] },
  },
];
