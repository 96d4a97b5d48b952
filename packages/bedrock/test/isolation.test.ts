import { formatNamespace } from '@keepsake/core';
import { passesRetrievalFilter, type RetrievalFilter } from '@keepsake/emulators';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type BedrockConnection, BedrockKnowledgeBaseStore } from '../src/index.ts';
import { setup } from './harness.ts';

const PAIRS = rounds(10_000);

/** Segments that joined strings, patterns and filters easily confuse. */
const segment = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'A',
    'ab',
    'a:b',
    'a%3Ab',
    '%',
    '%3A',
    ':',
    '*',
    'a*',
    '?',
    '[a]',
    '\\',
    '_',
    '.',
    '..',
    '/',
    '../a',
  ),
  fc.constantFrom(
    'é',
    'e\u0301',
    ' a',
    'a ',
    '"',
    "'",
    '{"equals":{}}',
    'null',
    '__proto__',
    'constructor',
    '\u0001',
    '💡',
  ),
  fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom('a', ':', '%', '3', 'A', '/', '*', '\\') }),
);
const namespace = fc.array(segment, { minLength: 1, maxLength: 3 });

/** Two similar namespaces: equal, nested, joined differently, or with other segments. */
const pair = fc.oneof(
  fc.tuple(namespace, namespace),
  namespace.map((one) => [one, [...one]] as [string[], string[]]),
  fc.tuple(namespace, segment).map(([one, more]) => [one, [...one, more]] as [string[], string[]]),
  namespace.map((one) => [one, [one.join(':')]] as [string[], string[]]),
  namespace.map((one) => [one, [formatNamespace(one)]] as [string[], string[]]),
  fc.tuple(namespace, segment).map(([one, last]) => [one, [...one.slice(0, -1), last]] as [string[], string[]]),
);

/** A store whose clients record requests instead of sending them. */
function recordingStore(options: { namespace: readonly string[] } & object) {
  const sent: { input: Record<string, unknown> }[] = [];
  const client = (answer: object) => ({
    send: async (command: { input: Record<string, unknown> }) => {
      sent.push(command);
      return answer;
    },
  });
  const connection: BedrockConnection = {
    knowledgeBaseId: 'KB123',
    knowledgeBaseType: 'VECTOR',
    dataSourceType: 'CUSTOM',
    dataSourceId: 'DS456',
    runtimeClient: client({ retrievalResults: [] }),
    agentClient: client({ documentDetails: [{ status: 'INDEXED' }] }),
  };
  const store = new BedrockKnowledgeBaseStore({ name: 'facts', writable: true, connection, ...options });
  return { store, sent };
}

interface Sent {
  readonly documents: {
    readonly content: { readonly custom: { readonly customDocumentIdentifier: { readonly id: string } } };
    readonly metadata: {
      readonly inlineAttributes: { readonly key: string; readonly value: { readonly stringValue: string } }[];
    };
  }[];
  readonly retrievalConfiguration: { readonly vectorSearchConfiguration: { readonly filter: RetrievalFilter } };
}

async function addedBy(namespace: readonly string[]) {
  const { store, sent } = recordingStore({ namespace });
  await store.add('Likes tea');
  const [command] = sent as unknown as [{ readonly input: Sent }];
  const [document] = command.input.documents;
  const attributes = (document?.metadata.inlineAttributes ?? []).map(({ key, value }) => [key, value.stringValue]);
  return {
    attributes: Object.fromEntries(attributes) as Record<string, unknown>,
    id: document?.content.custom.customDocumentIdentifier.id ?? '',
  };
}

async function filterOf(namespace: readonly string[], options: object = {}): Promise<RetrievalFilter> {
  const { store, sent } = recordingStore({ namespace, ...options });
  await store.search('tea');
  const [command] = sent as unknown as [{ readonly input: Sent }];
  return command.input.retrievalConfiguration.vectorSearchConfiguration.filter;
}

describe('scopes', () => {
  it(`of ${PAIRS} generated pairs are isolated, both in search and by document id`, async () => {
    let same = 0;
    const crosses = async ([mine, theirs]: readonly [readonly string[], readonly string[]]) => {
      const areSame = JSON.stringify(mine) === JSON.stringify(theirs);
      if (areSame) same++;
      const [filter, added, own] = await Promise.all([filterOf(mine), addedBy(theirs), addedBy(mine)]);
      expect(passesRetrievalFilter(filter, added.attributes)).toBe(areSame);
      expect(passesRetrievalFilter(filter, own.attributes)).toBe(true);
      expect(own.id === added.id).toBe(areSame);
      // It would delete its own document. For a document of another scope, no request is sent at all.
      const { store, sent } = recordingStore({ namespace: mine });
      await store.delete(added.id);
      expect(sent.length).toBe(areSame ? 1 : 0);
    };
    await fc.assert(fc.asyncProperty(pair, crosses), { numRuns: PAIRS });
    expect(same).toBeGreaterThan(PAIRS / 20);
  });

  it('are never widened by a filter of the store', async () => {
    const condition = fc.oneof(
      fc
        .record({ key: fc.constantFrom('namespace', 'kind'), value: fc.constantFrom('u:bob', 'u:alice', 'x') })
        .chain((attribute) =>
          fc.constantFrom<RetrievalFilter>({ equals: attribute }, { notEquals: attribute }, { startsWith: attribute }),
        ),
      fc.constant<RetrievalFilter>({ in: { key: 'namespace', value: ['u:bob', 'u:alice'] } }),
      fc.constant<RetrievalFilter>({ notIn: { key: 'namespace', value: ['nobody'] } }),
    );
    const filters = fc.letrec<{ filter: RetrievalFilter }>((tie) => ({
      filter: fc.oneof(
        { depthSize: 'small' },
        condition,
        fc.array(tie('filter'), { minLength: 2, maxLength: 5 }).map((orAll) => ({ orAll }) as RetrievalFilter),
        fc.array(tie('filter'), { minLength: 2, maxLength: 5 }).map((andAll) => ({ andAll }) as RetrievalFilter),
      ),
    })).filter;
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const sent = await filterOf(['u', 'alice'], { filter });
        const attributes = (scope: string) => ({ namespace: scope, kind: 'x' });
        expect(passesRetrievalFilter(sent, attributes('u:bob'))).toBe(false);
        expect(passesRetrievalFilter(sent, { kind: 'x' })).toBe(false);
        expect(passesRetrievalFilter(sent, attributes('u:alice'))).toBe(
          passesRetrievalFilter(filter, attributes('u:alice')),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('of results are checked: without the attribute they are left out and reported once, with another one refused', async () => {
    const { store, connection } = await setup();
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const result = (text: string, metadata?: object) => ({
      content: { text },
      location: { type: 'S3' },
      ...(metadata && { metadata }),
    });
    const answers = [result('of nobody'), result('of Alice', { namespace: 'u:alice' }), result('other', { kind: 'x' })];
    const runtimeClient = { send: async () => ({ retrievalResults: answers }) };
    const open = () => store({ connection: { ...connection, knowledgeBaseType: 'VECTOR', runtimeClient } });
    const alice = open();
    for (let call = 0; call < 3; call++) {
      expect((await alice.search('tea')).map(({ content }) => content)).toEqual(['of Alice']);
    }
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.stringMatching(/"facts".*attribute "namespace".*left out/));
    answers.push(result('of Bob', { namespace: 'u:bob' }));
    await expect(alice.search('tea')).rejects.toMatchObject({ code: 'BACKEND' });
  });

  it('are not left by leaving the scope out with `config`: then documents of all scopes stay out of reach', async () => {
    const { store, connection, emulator } = await setup();
    const { documentId } = await store().add('Alice likes tea');
    emulator.plant('DS456', { id: 'plain', text: 'Tea is a drink.', attributes: {} });
    const plain = new BedrockKnowledgeBaseStore({ name: 'plain', writable: true, config: connection });
    expect((await plain.search('tea')).map(({ content }) => content)).toEqual(['Tea is a drink.']);
    expect(await plain.status(documentId)).toBeUndefined();
    expect(await plain.delete(documentId)).toBe(false);
    const own = await plain.add('Coffee is a drink');
    expect(await plain.delete(own.documentId)).toBe(true);
    const everything = store({ unscoped: true });
    expect((await everything.search('tea')).map(({ content }) => content).sort()).toEqual([
      'Alice likes tea',
      'Tea is a drink.',
    ]);
  });

  it('of many stores on one base are isolated over the wire, too', async () => {
    const { store, emulator } = await setup();
    const scopes = [
      ...new Map(fc.sample(namespace, { numRuns: 150, seed: 7 }).map((one) => [JSON.stringify(one), one])).values(),
    ];
    for (const scope of scopes) await store({ namespace: scope }).add('Likes tea', { mine: JSON.stringify(scope) });
    expect(emulator.indexed('DS456').size).toBe(scopes.length);
    for (const scope of scopes) {
      const found = await store({ namespace: scope }).search('tea', { maxSearchResults: 100 });
      expect(found.map(({ metadata }) => metadata?.mine)).toEqual([JSON.stringify(scope)]);
    }
  });

  it('are isolated from documents that others have planted', async () => {
    const { store, emulator } = await setup();
    const plant = (id: string, attributes: object) =>
      emulator.plant('DS456', { id, text: 'tea', attributes: { ...attributes } });
    plant('none', {});
    plant('list', { namespace: ['u:alice'] });
    plant('other', { namespace: 'u:alice:x' });
    expect(await store().search('tea')).toEqual([]);
    expect(await store({ unscoped: true }).search('tea')).toHaveLength(3);
  });

  it('that a base ignores make the search fail', async () => {
    const { store, connection } = await setup();
    const result = { content: { text: 'Bob likes tea' }, metadata: { namespace: 'u:bob' } };
    const runtimeClient = { send: async () => ({ retrievalResults: [result] }) };
    const facts = store({ connection: { ...connection, knowledgeBaseType: 'SQL', runtimeClient } });
    await expect(facts.search('tea')).rejects.toMatchObject({ code: 'BACKEND' });
  });
});
