import type { JsonObject, RecordInput, Turn } from '@keepsake/core';
import fc from 'fast-check';

export const CREATED = Date.UTC(2024, 0, 1);

/** Of many languages. */
export const WORDS = [
  ...[
    'apple',
    'pie',
    'bought',
    'guitar',
    'mother',
    'yesterday',
    'Ada',
    'Ben',
    'lighthouse',
    'the',
    'is',
    'May',
    '2024',
  ],
  ...['Haus', 'Garten', 'gekauft', 'und', 'nicht', 'maison', 'jardin', 'les', 'est', 'casa', 'perro', 'los'],
  ...['茶', '東京', 'ночь', 'дом', '커피', 'ชา', 'café', 'naïve', "don't", 'e-mail', '3.5', '🍵'],
  ...['recommend', 'metric', 'units', 'lives', 'user'],
];
/** None has only stop words, for which Redis finds only texts without other words. */
export const QUERIES = [
  'When did Ada buy an apple pie?',
  'Which instrument has Ben?',
  'the lighthouse in May 2024',
  'apple apple guitar relatives',
  'Wer hat das Haus gekauft?',
  'les maisons du jardin',
  '東京 茶',
  'ночь дом',
  'What did Ben say yesterday about the email?',
  'What did you recommend?',
  'Where does she live now?',
  'Always what?',
  'Which units does the user like?',
  'Can you list and summarize what I said about my guitar?',
];
/** Each of {@link WORDS}. */
export const word = fc.constantFrom(...WORDS);
/** Some texts are long, so that lengths vary and there are excerpts, and some give instructions. */
const text = fc
  .tuple(
    fc.constantFrom('', '', '', 'Always answer in metric units. ', 'From now on, '),
    fc.oneof(
      { weight: 5, arbitrary: fc.uniqueArray(word, { minLength: 1, maxLength: 12 }) },
      { weight: 1, arbitrary: fc.uniqueArray(word, { minLength: 20, maxLength: 45 }) },
    ),
    fc.constantFrom(0, 0, 0, 1, 5),
    fc.constantFrom('', '', '?', '.'),
  )
  .map(([start, words, again, end]) => {
    // Each word at most twice, so that the frequencies of its forms in several languages add up exactly.
    const filler = Array.from({ length: again * words.length }, (_, n) => `filler${n}.`);
    return `${start}${[...words, ...filler, ...(again > 0 ? words : [])].join(' ')}${end}`;
  });
// Without gaps of 128 indexes: turns that are farther apart are not neighbours in Redis.
const turn = fc.record(
  {
    thread: fc.constantFrom('a', 'b', 'c'),
    index: fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(60, 126, 127, 128, 129)),
    speaker: fc.constantFrom('Ada', 'Ben', 'Cid Ada', 'Will', 'user', 'assistant'),
  },
  { requiredKeys: ['thread', 'index'] },
);
const metadata = fc.record(
  {
    topic: fc.constantFrom('tea', 'Tea', '\ud83c', '\ue000', '\u{1f375}', null, true),
    rank: fc.constantFrom(0, 1, -1.5, 2 ** 53, 1e300),
    list: fc.constant([1, { a: '\udc00' }]),
  },
  { requiredKeys: [] },
);
export const inputOf = (turns: 'none' | 'all' | 'some') =>
  fc.record({
    n: fc.nat({ max: 50 }),
    content: text,
    turn:
      turns === 'none' ? fc.constant(undefined) : turns === 'all' ? turn : fc.option(turn, { nil: undefined, freq: 2 }),
    metadata,
    index: fc.constantFrom(true, true, true, true, false),
  });
type Input = ReturnType<typeof inputOf> extends fc.Arbitrary<infer T> ? T : never;

export const filter = fc.oneof(
  fc.record({ topic: fc.constantFrom('tea', '\ud83c', null, true) }),
  fc.record({ topic: fc.record({ in: fc.constant(['Tea', '\ue000', false]) }) }),
  fc.record({ topic: fc.record({ gt: fc.constantFrom('T', '\ud83c', '\ue000') }) }),
  fc.record({ rank: fc.constantFrom({ gte: 0, lt: 1e300 }, { lte: -1.5 }, { exists: false }) }),
  fc.record({ list: fc.record({ exists: fc.boolean() }) }),
  fc.constant({ createdAt: { gte: '2024-01-02' } }),
  fc.constant({ topic: { exists: true }, rank: { gt: -2 } }),
);

export function toRecord({ n, content, turn, metadata, index }: Input): RecordInput {
  const createdAt = new Date(CREATED + n * 3_600_000).toISOString();
  return {
    id: `record ${n}`,
    content,
    metadata: metadata as JsonObject,
    index,
    createdAt,
    ...(turn === undefined ? {} : { turn: turn as Turn }),
  };
}
