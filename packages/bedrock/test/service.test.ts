import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type BedrockConnection, BedrockKnowledgeBaseStore } from '../src/index.ts';

/*
 * Tests against the real service, which cost a little and take minutes. They run if these variables name a knowledge base
 * and a data source of custom documents, with AWS credentials in the environment or the profile.
 */
const { KEEPSAKE_BEDROCK_KNOWLEDGE_BASE_ID: knowledgeBaseId, KEEPSAKE_BEDROCK_DATA_SOURCE_ID: dataSourceId } =
  process.env;
const isAsked = knowledgeBaseId !== undefined && dataSourceId !== undefined;
const title = isAsked
  ? `the service, knowledge base ${knowledgeBaseId}`
  : 'the service (needs AWS credentials, KEEPSAKE_BEDROCK_KNOWLEDGE_BASE_ID and KEEPSAKE_BEDROCK_DATA_SOURCE_ID)';

describe.skipIf(!isAsked)(title, () => {
  const connection: BedrockConnection = {
    knowledgeBaseId: knowledgeBaseId ?? '',
    dataSourceId: dataSourceId ?? '',
    dataSourceType: 'CUSTOM',
  };
  const open = (user: string, options: object = {}) =>
    new BedrockKnowledgeBaseStore({
      name: 'facts',
      connection,
      namespace: ['keepsake-test', user],
      writable: true,
      ...options,
    });
  const run = randomUUID();

  it('indexes, finds, filters, isolates and deletes', { timeout: 15 * 60_000 }, async () => {
    const [alice, bob] = [open(`alice-${run}`), open(`bob-${run}`)];
    const text = `Alice keeps bees on the roof of house ${run}.`;
    const { documentId } = await alice.add(text, { topic: 'bees', hives: 3, active: true, tags: ['roof', 'honey'] });
    try {
      expect((await alice.add(text, { topic: 'bees', hives: 4, active: true, tags: ['roof'] })).documentId).toBe(
        documentId,
      );
      await alice.waitUntilIndexed(documentId, { deadlineMs: 10 * 60_000 });
      const found = await alice.search('Who keeps bees?', {
        filter: { topic: 'bees', hives: { gte: 4 }, active: true },
      });
      expect(found.map(({ id, content }) => [id, content])).toEqual([[documentId, text]]);
      expect(found[0]?.metadata).toMatchObject({ topic: 'bees', hives: 4, active: true });
      expect(await alice.search('bees', { filter: { hives: { gt: 4 } } })).toEqual([]);
      expect(await bob.search('Who keeps bees?')).toEqual([]);
      expect(await bob.delete(documentId)).toBe(false);
    } finally {
      expect(await alice.delete(documentId)).toBe(true);
    }
  });
});
