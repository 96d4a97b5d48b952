// Texts are indexed, found, and removed.
import assert from 'node:assert/strict';
import { analyse, fuse, LexicalIndex, VectorIndex } from '@keepsake/search';

const index = new LexicalIndex();
const dog = index.add('Jon adopted a dog in May 2023.');
const sea = index.add('Gina paints the sea.');
const byWords = index.search('Who has dogs?', { limit: 5 });
assert.deepEqual(
  byWords.map(({ document }) => document),
  [dog],
);

/** @type {VectorIndex<number>} */
const vectors = new VectorIndex({ dimensions: 2 });
vectors.set(dog, Float32Array.of(1, 0));
vectors.set(sea, Float32Array.of(0, 1));
const byMeaning = vectors.search(Float32Array.of(0.6, 0.8), { limit: 5 });
assert.equal(byMeaning[0]?.key, sea);

const fused = fuse([byWords.map(({ document }) => document), byMeaning.map(({ key }) => key)]);
assert.equal(fused[0]?.key, dog);

for (const [language, plural, singular] of /** @type {const} */ ([
  ['de', 'Hunde', 'Hund'],
  ['en', 'dogs', 'dog'],
  ['es', 'perros', 'perro'],
  ['fr', 'chiens', 'chien'],
  ['it', 'cani', 'cane'],
  ['nl', 'honden', 'hond'],
  ['pt', 'cachorros', 'cachorro'],
  ['ru', 'собаки', 'собака'],
])) {
  assert.deepEqual(analyse(plural, { language }), analyse(singular, { language }));
}

index.remove(dog);
assert.deepEqual(index.search('dogs', { limit: 5 }), []);
