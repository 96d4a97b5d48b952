import { LexicalIndex } from '@keepsake/search';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WordKnowledge } from '../src/lexical/lexical-index.ts';
import type { Matches, Matching } from '../src/lexical/matching.ts';

const KNOWLEDGE: WordKnowledge = { related: () => [], holders: () => 0 };
/** More postings than are scored in one step. */
const MANY = 20_000;

function filled(count: number): LexicalIndex {
  const index = new LexicalIndex();
  for (let n = 0; n < count; n++) index.add(textOf(n));
  return index;
}

function textOf(n: number): string {
  return ['apple', ...(n % 3 === 0 ? ['pear', 'pear'] : []), ...(n % 7 === 0 ? ['seven'] : []), `n${n % 50}`].join(' ');
}

/** By document: its score and the bits of its words. */
function scoresOf(matching: Matching): Map<number, readonly [score: number, held: number]> {
  const { documents, scores, held, created } = matching.current();
  const living = [...documents].filter((document) => (created[document] as number) > 0);
  return new Map(
    living.map((document) => [document, [scores[document] as number, held[document] as number]] as const).sort(),
  );
}

/** What the words of matches find in the index as it is now, at once. */
function foundNow(index: LexicalIndex, { words }: Matches) {
  const matching = index.matchingWorths(words);
  while (!matching.next());
  const scores = scoresOf(matching);
  matching.end();
  return scores;
}

describe('scoring in steps', () => {
  it('finds the documents that were added, removed and replaced between the steps', () => {
    const index = filled(MANY);
    const matching = index.matching('apple pear seven', KNOWLEDGE);
    let steps = 0;
    for (; !matching.next(); steps++) {
      index.remove(steps * 20);
      index.remove(MANY - 1 - steps * 20);
      index.replace(steps * 30 + 1, 'seven pears');
      index.replace(MANY - 2 - steps * 30, 'an apple and seven pears');
      index.add('seven apples');
      // Drops the postings of removed documents, so that the others move.
      index.search('apple pear seven');
    }
    expect(steps).toBeGreaterThan(4);

    expect(scoresOf(matching)).toEqual(foundNow(index, matching.current()));
    index.add('another apple');
    index.remove(MANY - 7);
    expect(scoresOf(matching)).toEqual(foundNow(index, matching.current()));
    matching.end();
  });

  it('finds what an index without changes finds at once', () => {
    const change = fc.oneof(
      fc.record({ add: fc.constantFrom('apple', 'pear and apple', 'Äpfel und Birnen', 'the pear', 'les pommes') }),
      fc.record({ remove: fc.nat(30) }),
      fc.record({ replace: fc.nat(30), by: fc.constantFrom('apples', 'pears', 'seven') }),
      fc.constant('search' as const),
      fc.constant('step' as const),
    );
    const queries = fc.constantFrom('apple', 'apples and pears', 'the', 'die Birnen und Äpfel', 'seven');
    fc.assert(
      fc.property(queries, fc.array(change, { maxLength: 40 }), (query, changes) => {
        const index = filled(10);
        index.add('Das sind die Äpfel und die Birnen, und das ist nicht der Apfel.');
        const matching = index.matching(query, KNOWLEDGE);
        for (const one of changes) {
          if (one === 'search') index.search(query);
          else if (one === 'step') matching.next();
          else if ('add' in one) index.add(one.add);
          else if ('remove' in one) index.remove(one.remove);
          else if (index.has(one.replace)) index.replace(one.replace, one.by);
        }
        while (!matching.next());
        expect(scoresOf(matching)).toEqual(foundNow(index, matching.current()));
        matching.end();
      }),
      { numRuns: rounds(300, 100) },
    );
  });

  it('tells when the numbers of its documents may belong to others', () => {
    const index = filled(3_000);
    const matching = index.matching('apple', KNOWLEDGE);
    for (let document = 0; document < 500; document++) index.remove(document);
    expect(matching.numbering).toBe(index.numbering);
    for (let document = 500; document < 2_000; document++) index.remove(document);
    expect(matching.numbering).not.toBe(index.numbering);
    matching.end();
  });

  it('shares its memory among few searches at a time', () => {
    const index = filled(10);
    const running = Array.from({ length: 4 }, () => index.matching('apple', KNOWLEDGE));
    expect(index.isBusy).toBe(true);
    expect(index.search('apple')).toHaveLength(10);
    for (const matching of running) matching.end();
    expect(index.isBusy).toBe(false);
    expect(index.search('apple')).toHaveLength(10);
  });
});
