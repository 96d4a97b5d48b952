import { foldSessionSummary } from '@anthropic-ai/claude-agent-sdk';
import { InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import { KeepsakeSessionStore } from '../src/index.ts';
import { says } from './support/entries.ts';

const key = { projectKey: 'p', sessionId: 'chat' };

async function stored() {
  const records = new InMemoryStore({ name: 'sessions' });
  const store = new KeepsakeSessionStore({ store: records, foldSessionSummary });
  await store.append(key, [says(1), says(2)]);
  return { records, store, transcript: records.within(['claude', 'p', 'chat', 'main']) };
}

describe('a transcript with damage', () => {
  it('in an entry is CORRUPT, and not a shorter transcript', async () => {
    const { store, transcript } = await stored();
    const [entry] = (await transcript.list({ idPrefix: 'entry:' })).items;
    await transcript.put({ id: entry?.id, content: '|{"type":', metadata: { more: 0 }, index: false });
    await expect(store.load(key)).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  it.each(['{"mtime"', 'null', '{"mtime":{"toString":1},"data":{}}', '{"mtime":0}'])(
    'in its summary %j makes the summary again from the entries',
    async (content) => {
      const { store, transcript } = await stored();
      const [before] = await store.listSessionSummaries('p');
      await transcript.put({ id: 'summary', content, index: false });
      const [summary] = await store.listSessionSummaries('p');
      expect(summary?.data).toEqual(before?.data);
      await transcript.put({ id: 'summary', content, index: false });
      await store.append(key, [says(3)]);
      expect(await store.load(key)).toHaveLength(3);
      expect(await store.listSessions('p')).toHaveLength(1);
    },
  );
});

it('what others keep below a mark is no session of the project', async () => {
  const { records, store } = await stored();
  await records.within(['claude', 'p', 'user', 'main']).put({ content: 'Of a user called main' });
  expect(await store.listSessions('p')).toMatchObject([{ sessionId: 'chat' }]);
});
