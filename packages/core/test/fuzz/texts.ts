import { formatNamespace, type JsonObject, parseNamespace } from '@keepsake/core';
import { bestPassage, canonicalJson, checkNamespace, cloneJson, readCursor, writeCursor } from '@keepsake/core/adapter';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';

const TEXTS: readonly string[] = [
  'DB_PASSWORD="correct horse" npm run dev',
  'https://alice:secret@example.com/?token=abcdef. Is it? Yes!\n\nThe password of the database',
  '{"headers":[{"name":"cookie","value":"session=abc; token=def"}]}',
];

const ARGUMENTS: readonly JsonObject[] = [
  { tool: { name: 'shell', arguments: '{"command":"curl -u a:b https://x","env":{"TOKEN":"abc"}}' } },
  { headers: [['authorization', 'Bearer abc'], { name: 'cookie', value: 'id=1' }], password: 'hunter2' },
];

const NAMESPACES: readonly string[] = ['agent:research-assistant:u:alice', 'a%3Ab:c%2Fd:%E2%80%A8', '%01', 'é:日本'];

export const namespaces = fuzzTarget({
  input: (random) => mutateText(random, random.pick(NAMESPACES), NAMESPACES),
  run(text) {
    const namespace = parseNamespace(text);
    if (formatNamespace(namespace) !== text) throw new Error('Another text than the parsed one.');
  },
});

export const namespaceArrays = fuzzTarget({
  input: (random) => mutateJson(random, ['u', 'alice']) as string[],
  run: checkNamespace,
});

const CURSORS = [writeCursor('records', [12, 'id']), writeCursor('sessions', ['2026', 'x'])];

export const cursors = fuzzTarget({
  input: (random) => cursorOf(random),
  run: (cursor) => readCursor(cursor, 'records', ['number', 'string']),
});

/** A text, or a well-formed cursor of other values. */
function cursorOf(random: Random): string {
  if (random.chance(0.5)) return mutateText(random, random.pick(CURSORS), CURSORS);
  const position = mutateJson(random, [12, 'id']);
  return writeCursor(random.pick(['records', 'sessions']), Array.isArray(position) ? position : [position as string]);
}

export const json = fuzzTarget({
  input: (random) => mutateJson(random, random.pick(ARGUMENTS), ARGUMENTS),
  run(value) {
    const text = canonicalJson(value, 'value');
    const copy = cloneJson(JSON.parse(text) as unknown, 'value');
    if (canonicalJson(copy, 'copy') !== text) throw new Error('Another value than the written one.');
  },
});

export const passages = fuzzTarget({
  input: (random) => ({
    content: mutateText(random, `${TEXTS.join('. ')}\n\n${TEXTS.join('! ')}`, TEXTS),
    query: mutateText(random, 'the password of the database'),
  }),
  run: ({ content, query }) => bestPassage(content, (part) => (part.includes(query) ? [[query, 1]] : [])),
});
