/*
 * Writes test/golden/version-N.db, and version-N.json with what must be read from it, by the sources as they are. It was run
 * once for each version of the tables, before its release:
 *
 *   node --conditions=@keepsake/source test/programs/write-golden.ts 1
 *   npx biome check --write test/golden
 *
 * Never run it for a version that was released: the file must stay as that version wrote it.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteSessionStore, SqliteStore } from '../../src/index.ts';
import { GOLDEN_EMBEDDER, GOLDEN_NAMESPACE, readGolden } from '../golden.ts';
import { temporaryFile } from '../temporary-file.ts';

const golden = join(import.meta.dirname, '../golden', `version-${process.argv[2]}`);
const { file, remove } = temporaryFile();

const sessions = new SqliteSessionStore({ file });
const chat = sessions.open('chat: Älice');
await chat.addItems([
  { role: 'user', content: 'Grüße\0 \ud800 💡 \u2028' },
  { n: -0, deep: [{ a: null }] },
]);
await chat.addItems(Array.from({ length: 8 }, (_, n) => ({ n, text: 'long '.repeat(n === 5 ? 1_500 : n) })));
await chat.popItem();
await chat.applyHistoryTransaction({
  operationId: 'operation 1',
  transaction: { type: 'append_items', items: [{ n: 'by an operation' }] },
});
const cleared = sessions.open('cleared');
await cleared.addItems([{ n: 1 }]);
await cleared.clearSession();
const mortal = new SqliteSessionStore({ file, ttlMs: 1 });
await mortal.open('expired').addItems([{ n: 1 }]);

const store = new SqliteStore({ file, name: 'memory', namespace: GOLDEN_NAMESPACE, embedder: GOLDEN_EMBEDDER });
await store.putMany(
  Array.from({ length: 20 }, (_, n) => ({
    id: `turn ${n}`,
    content: n % 2 === 0 ? `Where does the heron ${n} fly?` : `It flies to river ${n}.`,
    turn: { thread: `talk ${n % 3}`, index: n, speaker: n % 2 === 0 ? 'user' : 'assistant' },
    metadata: { n, even: n % 2 === 0, kind: 'turn' },
  })),
);
await store.put({ id: 'note', content: 'Der Reiher steht am Fluss. 茶 \ud800', metadata: { 'key\ud800': [1, null] } });
await store.put({ id: 'note', content: 'Der Reiher steht am Ufer. 茶 \ud800', metadata: { 'key\ud800': [1, null] } });
await store.put({ id: 'hidden', content: 'A heron that search does not find.', index: false });
await store.put({ id: 'gone', content: 'A heron.' });
await store.delete('gone');
await store.put({ id: 'expired', content: 'A heron.', ttlMs: 1 });
await new SqliteStore({ file, name: 'memory' }).put({
  id: 'root',
  content: 'A heron at the root.',
  source: { run: 'r' },
});

rmSync(`${golden}.db`, { force: true });
await store.backup(`${golden}.db`);
writeFileSync(`${golden}.json`, `${JSON.stringify(await readGolden(file), null, 2)}\n`);
remove();
