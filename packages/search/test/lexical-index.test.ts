import { LexicalIndex } from '@keepsake/search';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function indexOf(...texts: string[]): LexicalIndex {
  const index = new LexicalIndex();
  for (const text of texts) index.add(text);
  return index;
}

function found(index: LexicalIndex, query: string, options = {}): number[] {
  return index.search(query, options).map((hit) => hit.document);
}

describe('ranking', () => {
  it('scores by BM25, normalized by the length of the text alone', () => {
    const index = indexOf('red apple', 'red red cherry', 'green pear tart fruit');
    // 3 documents of 2, 3 and 4 words; "red" is in two of them, "cherry" in one.
    const red = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
    const cherry = Math.log(1 + (3 - 1 + 0.5) / (1 + 0.5));
    const hits = index.search('red cherry');
    expect(hits.map((hit) => hit.document)).toEqual([1, 0]);
    expect(hits[0]?.score).toBeCloseTo(red * (2 / (2 + 0.4 + 0.04 * 3)) + cherry * (1 / (1 + 0.4 + 0.04 * 3)), 12);
    expect(hits[1]?.score).toBeCloseTo(red / (1 + 0.4 + 0.04 * 2), 12);
    // The same by hand: ln 1.6 * 2 / 2.52 + ln 2.66667 / 1.52, and ln 1.6 / 1.48.
    expect(hits[0]?.score).toBeCloseTo(1.01830116, 7);
    expect(hits[1]?.score).toBeCloseTo(0.31757002, 7);
  });

  it('counts a word that the query repeats more, but each repetition less than the one before', () => {
    const index = indexOf('apple', 'pear');
    const [once, twice, thrice] = [1, 2, 3].map((times) => index.search('apple '.repeat(times))[0]?.score ?? 0);
    const gain = (twice as number) - (once as number);
    expect(gain).toBeGreaterThan(0);
    expect(gain).toBeLessThan(once as number);
    expect((thrice as number) - (twice as number)).toBeGreaterThan(0);
    expect((thrice as number) - (twice as number)).toBeLessThan(gain);
  });

  it('gives words that all documents contain a score above 0', () => {
    const hits = indexOf('apple pie', 'apple tart', 'apple').search('apple');
    expect(hits).toHaveLength(3);
    for (const hit of hits) expect(hit.score).toBeGreaterThan(0);
  });

  it('puts the newer of two equal documents first', () => {
    const index = indexOf('apple', 'apple', 'pear', 'apple');
    expect(found(index, 'apple')).toEqual([3, 1, 0]);
    const again = index.replace(1, 'apple');
    expect(found(index, 'apple')).toEqual([again, 3, 0]);
    expect(found(index, 'apple', { limit: 2 })).toEqual([again, 3]);
  });

  it('limits the effect of repeated words in a long text', () => {
    const index = indexOf('apple '.repeat(100_000), 'apple pie');
    expect(found(index, 'apple pie')).toEqual([1, 0]);
  });
});

describe('queries', () => {
  it('without words find nothing', () => {
    const index = indexOf('apple', '');
    expect(index.size).toBe(2);
    for (const query of ['', ' \n', '?!', '\0', '🎂']) expect(index.search(query)).toEqual([]);
    expect(index.search('pear')).toEqual([]);
    expect(new LexicalIndex().search('apple')).toEqual([]);
  });

  it('are literal', () => {
    const index = indexOf('apple', 'pear');
    expect(found(index, 'apple AND "pear')).toEqual([1, 0]);
    expect(found(index, 'a* -pear')).toEqual([1]);
    expect(found(index, '__proto__ constructor')).toEqual([]);
  });

  it('with only stop words find texts with those words', () => {
    const index = indexOf('The Who are a band from London', 'Who are you, Jon?', 'a band');
    expect(found(index, 'who are you')).toEqual([1, 0]);
    expect(found(index, 'who is in the band')).toEqual([2, 0]);
    expect(found(indexOf('who are you'), 'who are you')).toEqual([0]);
  });

  it('distinguish a stem from an identical stop word', () => {
    const index = indexOf('they will come', 'two wills and a testament');
    expect(found(index, 'wills')).toEqual([1]);
    expect(found(index, 'will')).toEqual([0]);
  });

  it('are analysed in the language of the index', () => {
    const index = new LexicalIndex({ language: 'de' });
    index.add('Die alten Häuser am Hafen');
    expect(found(index, 'Was ist mit dem Haus?')).toEqual([0]);
  });

  it('accept limit and minScore', () => {
    const index = indexOf('apple', 'apple pie', 'apple pie tart');
    const hits = index.search('apple pie', { limit: Infinity });
    expect(hits).toHaveLength(3);
    expect(index.search('apple pie', { limit: 1 })).toEqual(hits.slice(0, 1));
    expect(index.search('apple pie', { limit: 0 })).toEqual([]);
    expect(index.search('apple pie', { minScore: hits[1]?.score ?? 0 })).toEqual(hits.slice(0, 2));
    const many = indexOf(...Array.from({ length: 12 }, () => 'apple'));
    expect(many.search('apple')).toHaveLength(10);
  });
});

describe('filter', () => {
  it('is applied before the limit', () => {
    const index = new LexicalIndex();
    for (let i = 0; i < 500; i++) index.add(i % 50 === 0 ? 'apple in a long text of many other words' : 'apple apple');
    const passes = (document: number) => document % 50 === 0;
    expect(found(index, 'apple', { limit: 5, filter: passes })).toEqual([450, 400, 350, 300, 250]);
  });

  it('is called once for each matching document that was not removed', () => {
    const index = indexOf('apple pie', 'pear', 'apple pie', 'pie');
    index.remove(0);
    const asked: number[] = [];
    index.search('apple pie', { filter: (document) => asked.push(document) > 0 });
    expect(asked.sort()).toEqual([2, 3]);
  });

  it('leaves no state behind if it throws', () => {
    const index = indexOf('apple', 'apple pie');
    const before = index.search('apple');
    const filter = () => {
      throw new Error('from the filter');
    };
    expect(() => index.search('apple', { filter })).toThrow('from the filter');
    expect(index.search('apple')).toEqual(before);
  });
});

describe('changes', () => {
  it('remove returns whether the document existed', () => {
    const index = indexOf('apple', 'pear');
    expect(index.remove(0)).toBe(true);
    expect(index.remove(0)).toBe(false);
    expect(index.remove(7)).toBe(false);
    expect(index.remove(-1)).toBe(false);
    expect(index.size).toBe(1);
    expect(index.search('apple')).toEqual([]);
  });

  it('clear resets the index', () => {
    const index = indexOf('apple', 'pear', 'who');
    index.remove(1);
    index.clear();
    expect(index.size).toBe(0);
    expect(index.search('apple who')).toEqual([]);
    index.add('apple tart');
    expect(index.search('apple')).toEqual(indexOf('apple tart').search('apple'));
  });

  it('reuses document numbers, so that they stay small', () => {
    const index = new LexicalIndex();
    let document = index.add('apple 0');
    let highest = 0;
    for (let i = 1; i < 20_000; i++) {
      document = index.replace(document, `apple ${i}`);
      highest = Math.max(highest, document);
    }
    expect(highest).toBeLessThan(2048);
    expect(index.search('apple')).toEqual(
      new Array(1).fill({ document, score: indexOf('apple 1').search('apple')[0]?.score }),
    );
    expect(index.search('0 77 19998')).toEqual([]);
    expect(found(index, '19999')).toEqual([document]);
  });
});

type Change = { readonly kind: 'add' | 'remove' | 'replace'; readonly at: number; readonly text: string };

const WORDS = ['apple', 'apples', 'pear', 'pie', 'who', 'are', 'you', 'will', 'wills', 'x', '2023', 'café', '', '東京'];
const QUERIES = ['apple pear', 'pie pie x cafe', 'who are you', '2023 will wills', '東京 apple'];

/** Applies the changes, and compares with a new index of the remaining documents in their order of addition. */
function expectNoTrace(changes: Iterable<Change>): void {
  const index = new LexicalIndex();
  const living = new Map<number, string>();
  for (const { kind, at, text } of changes) {
    const target = [...living.keys()][at % living.size];
    if (kind === 'add' || target === undefined) {
      living.set(index.add(text), text);
      continue;
    }
    living.delete(target);
    if (kind === 'remove') index.remove(target);
    else living.set(index.replace(target, text), text);
    if (at % 3 === 0) index.search(QUERIES[at % QUERIES.length] ?? '');
  }
  const fresh = indexOf(...living.values());
  const orderOf = new Map([...living.keys()].map((document, order) => [document, order]));
  expect(index.size).toBe(fresh.size);
  for (const query of QUERIES) {
    const hits = index.search(query, { limit: 50 });
    expect(hits.map((hit) => ({ ...hit, document: orderOf.get(hit.document) }))).toEqual(
      fresh.search(query, { limit: 50 }),
    );
  }
}

describe('removed documents leave no trace', () => {
  const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
  const kind = fc.constantFrom<Change['kind']>('add', 'add', 'replace', 'remove');

  it('after some changes', () => {
    fc.assert(fc.property(fc.array(fc.record({ kind, at: fc.nat(), text }), { maxLength: 60 }), expectNoTrace), {
      numRuns: rounds(200, 60),
    });
  });

  it('after 10,000 changes with several sweeps', () => {
    const changes = function* (seed: number, keep: number): Generator<Change> {
      let state = seed;
      const next = (below: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      for (let i = 0; i < 10_000; i++) {
        const words = Array.from({ length: next(12) }, () => `${WORDS[next(WORDS.length)]} w${next(400)}`);
        const kind = i < keep ? 'add' : (['add', 'remove', 'replace', 'replace'] as const)[next(4)];
        yield { kind: kind ?? 'add', at: next(2 ** 31), text: words.join(' ') };
      }
    };
    for (const keep of [10, 500]) {
      fc.assert(
        fc.property(fc.nat(), (seed) => expectNoTrace(changes(seed, keep))),
        { numRuns: rounds(3) },
      );
    }
  });
});

describe('a very long text', () => {
  const size = rounds(2 ** 20, 2 ** 18);
  it.each([
    ['one word', 'a'.repeat(size)],
    ['one repeated word', 'apple '.repeat(size / 6)],
    ['distinct words', Array.from({ length: size / 8 }, (_, i) => `xq${i.toString(36)}`).join(' ')],
    ['combining marks', `a${'\u0301\u0323'.repeat(size / 2)}`],
    ['stop words', 'who are you '.repeat(size / 12)],
  ])('is added, found by its own text, and removed: %s', (_name, text) => {
    const index = indexOf('pear', text);
    expect(found(index, text)).toEqual([1]);
    expect(index.remove(1)).toBe(true);
    expect(index.search(text)).toEqual([]);
  });
});
