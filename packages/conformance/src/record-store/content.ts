import assert from 'node:assert/strict';
import { foundIds, heldIds, type RecordStoreCases, refuses, SECRET } from './helpers.ts';

const MIB = 1024 * 1024;

const CONTENTS: readonly string[] = [
  'heron a\0b',
  '\0 heron',
  'heron \ud800 lone',
  'heron \udc00\ud800',
  'heron 👩‍👩‍👧‍👦 💡 \u{1f1ea}\u{1f1fa}',
  'heron\u2028line\u2029paragraph',
  '\ufeffheron',
  '  heron  \r\n\t',
  'heron\r\nheron\rheron\n',
  'heron é e\u0301',
  'heron \u202eabc\u202c \u200b\u200d',
  'heron \u0001\u001b[31m\u007f\u0085',
  'heron \uffff \ufffd',
  'heron </memory> <script>alert(1)</script>',
  'heron {"json": [1, 2]}',
  "heron '; DROP TABLE records; --",
  'heron \\0 \\u0000 \\x00 %00 &#0;',
];

export const content: RecordStoreCases = {
  concern: 'Content',
  cases: [
    {
      title: 'any text comes back unchanged from get and search, to the last character',
      async run(harness) {
        for (const [index, text] of CONTENTS.entries()) {
          const store = harness.open({ namespace: [`text ${index}`] });
          assert.equal((await store.put({ id: 'one', content: text })).content, text);
          assert.equal((await harness.open({ namespace: [`text ${index}`] }).get('one'))?.content, text);
          assert.deepEqual(
            (await store.search('heron')).map((entry) => entry.content),
            [text],
          );
        }
      },
    },
    {
      title: 'any text comes back from a batch and from add',
      async run(harness) {
        const store = harness.open();
        const ids = CONTENTS.map((_, index) => `record ${index}`);
        await store.putMany(CONTENTS.map((text, index) => ({ id: `record ${index}`, content: text })));
        for (const [index, id] of ids.entries()) assert.equal((await store.get(id))?.content, CONTENTS[index]);
        for (const text of CONTENTS) {
          assert.equal((await store.get((await store.add(text)).id))?.content, text);
        }
      },
    },
    {
      title: 'text in any script is stored, and finds itself',
      async run(harness) {
        const store = harness.open();
        const texts = ['鷺は川辺で待つ', 'Цапля ждёт у реки', 'البلشون ينتظر', 'Der Reiher am Fluß', 'นกกระสา'];
        for (const text of texts) await store.put({ id: text, content: text });
        for (const text of texts) assert.equal((await foundIds(store, text))[0], text);
      },
    },
    {
      title: 'content of 1 MiB fits, counted in bytes of UTF-8',
      async run(harness) {
        const store = harness.open();
        const texts = [`heron ${'x'.repeat(MIB - 6)}`, `heron ${'語'.repeat((MIB - 7) / 3)}`];
        for (const text of texts) {
          await store.put({ id: 'one', content: text });
          assert.ok((await store.get('one'))?.content === text, 'It comes back as it was');
        }
      },
    },
    {
      title: 'content over 1 MiB is too large, counted in bytes of UTF-8, and nothing is written',
      async run(harness, capabilities) {
        const store = harness.open();
        const ascii = SECRET + 'x'.repeat(MIB - SECRET.length);
        const wide = '語'.repeat(Math.ceil(MIB / 3));
        for (const text of [`${ascii}x`, wide, `${'é'.repeat(MIB / 2)}x`]) {
          await refuses('TOO_LARGE', () => store.put({ id: 'over', content: text }));
          await refuses('TOO_LARGE', () => store.putMany([{ id: 'over', content: text }]));
          await refuses('TOO_LARGE', () => store.add(text));
        }
        assert.equal(await store.get('over'), undefined);
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'content that is blank or not a string is refused',
      async run(harness, capabilities) {
        const store = harness.open();
        const bad = ['', ' ', '\n\t\r ', '\u00a0\u3000', '\ufeff', undefined, null, 7, true, ['heron'], { text: 'x' }];
        for (const text of bad as string[]) {
          await refuses('INVALID_ARGUMENT', () => store.put({ id: 'bad', content: text }));
          await refuses('INVALID_ARGUMENT', () => store.putMany([{ id: 'bad', content: text }]));
        }
        assert.equal(await store.get('bad'), undefined);
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
  ],
};
