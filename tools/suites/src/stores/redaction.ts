import type { DurableSession, Embedder, RecordStore } from '@keepsake/core';
import { redacted } from '@keepsake/privacy';
import { describe, expect, it } from 'vitest';
import { WORD_EMBEDDER } from './search-tree.ts';

/** Put together here, so that scanners of source code don't take this file for a leak. */
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const PASSWORD = 'correct horse battery';
const SECRETS = [TOKEN, PASSWORD];
const ENV = `GITHUB_TOKEN=${TOKEN}\nDB_PASSWORD="${PASSWORD}"`;

/** Empty storage for one test. */
interface Place {
  openStore(embedder: Embedder): RecordStore;
  openSession(): DurableSession;
  /** The bytes of all files, as text. Missing for backends without files. */
  readBytes?(): string;
}

/** Tests that `redacted` leaves no secret in a backend, nor gives one to its embedder. */
export function describeRedaction(where: string, newPlace: () => Place): void {
  describe(`redacted() on ${where}`, () => {
    it('leaves no secret in records, whichever way they are written', async () => {
      const place = newPlace();
      const store = redacted(place.openStore(WORD_EMBEDDER));
      await store.put({ id: 'one', content: `Heron. ${ENV}`, metadata: { env: ENV, apiKey: TOKEN, [TOKEN]: 1 } });
      await store.putMany([{ id: 'two', content: 'Heron.', metadata: { list: [ENV, { password: PASSWORD }] } }]);
      await store.put({ id: 'three', content: `Heron three. ${ENV}`, supersedes: 'two' });
      await store.within(['deeper']).within(['still']).add(ENV, { deeper: ENV });
      await store.add(JSON.stringify({ command: `cd /tmp\n${ENV}` }), { text: JSON.stringify({ ENV }) });
      await store.addMessages([
        { role: 'user', content: `Heron message. ${ENV}` },
        {
          role: 'assistant',
          content: [{ text: '-----BEGIN PRIVATE KEY-----' }, { text: TOKEN }],
          name: `bot ${TOKEN}`,
        },
      ]);

      const { items } = await store.list({ descendants: true, history: true });
      expect(items).toHaveLength(7);
      for (const secret of SECRETS) expect(JSON.stringify(items)).not.toContain(secret);
      expect(await store.get('one')).toMatchObject({
        content: 'Heron. GITHUB_TOKEN=[redacted]\nDB_PASSWORD="[redacted]"',
        metadata: { apiKey: '[redacted]', '[redacted]': 1 },
      });
      for (const secret of SECRETS) expect(place.readBytes?.() ?? '').not.toContain(secret);
      if (place.readBytes !== undefined) expect(place.readBytes()).toContain('[redacted]');
      await store.close();
    });

    it('keeps the times of messages and the names of speakers, redacted like their texts', async () => {
      const store = redacted(newPlace().openStore(WORD_EMBEDDER));
      const createdAt = '2024-02-29T10:00:00.000Z';
      const said = await store.addMessages([
        { role: 'user', content: `Heron. ${ENV}`, name: 'Zoë', createdAt },
        { role: 'assistant', content: 'Heron two.', name: ENV, createdAt },
      ]);
      expect(said).toMatchObject([
        { createdAt, metadata: { role: 'user', name: 'Zoë' } },
        { createdAt, metadata: { role: 'assistant', name: 'GITHUB_TOKEN=[redacted]\nDB_PASSWORD="[redacted]"' } },
      ]);
      await store.close();
    });

    it('gives an embedder no secret, in records or queries', async () => {
      const embedded: string[] = [];
      const embedder: Embedder = {
        ...WORD_EMBEDDER,
        embed(texts, options) {
          embedded.push(...texts);
          return WORD_EMBEDDER.embed(texts, options);
        },
      };
      const store = redacted(newPlace().openStore(embedder));
      await store.add(`Heron. ${ENV}`);
      expect(await store.search(`heron ${ENV}`)).toHaveLength(1);
      expect(embedded.length).toBeGreaterThan(1);
      for (const secret of SECRETS) expect(embedded.join('\n')).not.toContain(secret);
      await store.close();
    });

    it('recognizes a retry of a text and of messages with secrets', async () => {
      const store = redacted(newPlace().openStore(WORD_EMBEDDER));
      for (let time = 0; time < 3; time++) {
        await store.add(ENV);
        await store.addMessages([{ role: 'user', content: ENV }], { sequenceNumbers: [0] });
      }
      expect((await store.list()).items.map(({ version }) => version)).toHaveLength(2);
      await store.close();
    });

    it('leaves no secret in a session, whichever way items are written', async () => {
      const place = newPlace();
      const session = redacted(place.openSession());
      await session.addItems([{ role: 'user', content: ENV }]);
      await session.applyHistoryTransaction({
        operationId: 'operation',
        transaction: { type: 'append_items', items: [{ type: 'function_call', callId: 'c', arguments: ENV }] },
      });
      await session.applyHistoryMutations({
        mutations: [
          {
            type: 'replace_function_call',
            callId: 'c',
            replacement: { type: 'function_call', callId: 'c', arguments: JSON.stringify({ ENV, token: PASSWORD }) },
          },
        ],
      });
      expect(await session.getItems()).toHaveLength(2);
      await session.replaceHistoryWithCompaction([...(await session.getItems()), { summary: ENV }]);
      for (const secret of SECRETS) {
        expect(JSON.stringify(await session.getItems())).not.toContain(secret);
        expect(place.readBytes?.() ?? '').not.toContain(secret);
      }
    });
  });
}
