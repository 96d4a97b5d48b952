import { finish } from '@keepsake/internal';
import { LexicalIndex } from '@keepsake/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentOf, Postings, postingOf } from '../src/lexical/postings.ts';
import { WordLists } from '../src/lexical/word-lists.ts';
import { inMemory } from '../src/snapshot/stored-bytes.ts';

/** Lists of words whose documents are multiples of the number of the word. */
function filled(words: number, documents: number) {
  const postings = new Postings();
  const lists = new WordLists(postings);
  for (let word = 1; word <= words; word++) {
    for (let document = word; document <= documents; document += word) {
      postings.append(lists.toAddTo(`word ${word}`), postingOf(document, 1));
    }
  }
  return { postings, lists };
}

describe('a sweep of removed documents', () => {
  it('takes many short steps, between which lists can change', () => {
    const { postings, lists } = filled(2_000, 2_000);
    const isAlive = (document: number) => document <= 1_000 || document > 2_000;
    postings.outdate();
    const sweep = lists.sweeping(isAlive);
    let steps = 0;
    for (; !sweep.next().done; steps++) {
      postings.append(lists.toAddTo('word 1'), postingOf(3_000 + steps, 1));
      postings.append(lists.toAddTo(`new ${steps}`), postingOf(3_000 + steps, 1));
    }
    expect(steps).toBeGreaterThan(15);
    for (let word = 2; word <= 1_000; word++) {
      const documents = [...lists.peek(`word ${word}`)].map(documentOf);
      expect(documents).toEqual(Array.from({ length: Math.floor(1_000 / word) }, (_, n) => (n + 1) * word));
    }
    expect(lists.find('word 1500')).toBeUndefined();
    expect([...lists.peek('word 1')].map(documentOf).slice(-2)).toEqual([3_000 + steps - 2, 3_000 + steps - 1]);
    expect([...lists.peek('new 3')].map(documentOf)).toEqual([3_003]);
  });

  it('gives the memory of lists without documents to new ones', () => {
    const { postings, lists } = filled(300, 300);
    for (let round = 0; round < 20; round++) {
      postings.outdate();
      finish(lists.sweeping(() => false));
      for (let word = 1; word <= 300; word++) {
        const list = lists.toAddTo(`round ${round} ${word}`);
        expect(list).toBeLessThan(300);
        for (let n = 0; n < word; n++) postings.append(list, postingOf(n, 1));
        expect([...postings.of(list)].map(documentOf)).toEqual(Array.from({ length: word }, (_, n) => n));
      }
    }
  });

  it('leaves no trace of documents in an index that was opened from a snapshot, however it is used meanwhile', () => {
    const WORDS = ['heron', 'crane', 'stork', 'egret', 'gull'];
    const step = fc.record({ word: fc.constantFrom(...WORDS), look: fc.boolean(), again: fc.boolean() });
    const first = new LexicalIndex();
    for (let n = 0; n < 2_000; n++) first.add(`${WORDS[n % 5]} ${n % 7 === 0 ? `own${n}` : 'bird'}`);
    const snapshot = first.snapshot();
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
        const index = finish(LexicalIndex.opening(inMemory(snapshot))) as LexicalIndex;
        const living = new Map<number, string>();
        for (let document = 0; document < 2_000; document++) index.remove(document);
        for (const { word, look, again } of steps) {
          const text = `${word} ${living.size}`;
          living.set(index.add(text), text);
          if (again) {
            const [oldest = 0] = living.keys();
            living.delete(oldest);
            living.set(index.replace(oldest, text), text);
          }
          if (look) index.search(word);
        }
        const fresh = new LexicalIndex();
        for (const text of living.values()) fresh.add(text);
        const order = new Map([...living.keys()].map((document, place) => [document, place]));
        for (const word of [...WORDS, 'bird', 'own7', 'own1001']) {
          const hits = index.search(word, { limit: 100 });
          expect(hits.map((hit) => ({ ...hit, document: order.get(hit.document) }))).toEqual(
            fresh.search(word, { limit: 100 }),
          );
        }
      }),
      { numRuns: 20 },
    );
  });
});
