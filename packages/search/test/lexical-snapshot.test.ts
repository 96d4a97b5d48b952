import { finish } from '@keepsake/internal';
import { type LexicalHit, LexicalIndex } from '@keepsake/search';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inMemory } from '../src/snapshot/stored-bytes.ts';
import { mangled, ofOtherByteOrder, truncated } from './mangle.ts';

const WORDS = ['apple', 'apples', 'pear', 'pie', 'who', 'are', 'you', 'will', 'wills', 'x', '2023', 'café', '', '東京'];
const QUERIES = ['apple pear', 'pie pie x cafe', 'who are you', '2023 will wills', '東京 apple', 'w7 w77 w177', 'red'];
const TEXTS = [
  'red apple',
  'who are you',
  'an apple pie in 2023',
  '',
  'red '.repeat(300),
  'pear',
  '東京 café',
  'pie pie',
];

function indexOf(...texts: string[]): LexicalIndex {
  const index = new LexicalIndex();
  for (const text of texts) index.add(text);
  return index;
}

function restored(index: LexicalIndex): LexicalIndex {
  const back = LexicalIndex.restore(index.snapshot());
  if (back === undefined) throw new Error('The snapshot was refused.');
  return back;
}

/** An index that reads the lists of words when they are needed. */
function opened(index: LexicalIndex): LexicalIndex {
  const back = finish(LexicalIndex.opening(inMemory(index.snapshot())));
  if (back === undefined) throw new Error('The snapshot was refused.');
  return back;
}

function hitsOf(index: LexicalIndex): LexicalHit[][] {
  return QUERIES.map((query) => index.search(query, { limit: 50 }));
}

describe('a restored index', () => {
  it('returns the same documents with the same numbers and scores', () => {
    const index = indexOf(...TEXTS);
    index.remove(1);
    index.replace(2, 'an apple tart');
    const before = hitsOf(index);
    const back = restored(index);
    expect(back.size).toBe(index.size);
    expect(hitsOf(back)).toEqual(before);
    expect(hitsOf(index)).toEqual(before);
    expect(before.flat()).not.toEqual([]);
  });

  it('can be empty, before the first document or after the last', () => {
    const index = new LexicalIndex();
    expect(restored(index).size).toBe(0);
    expect(restored(index).add('apple')).toBe(0);
    index.add('apple');
    index.remove(0);
    expect(restored(index).search('apple')).toEqual([]);
    expect(restored(index).add('apple')).toBe(0);
  });

  it('shares no memory with the snapshot, at any byte offset', () => {
    const bytes = indexOf(...TEXTS).snapshot();
    for (const offset of [0, 1, 2, 3]) {
      const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset);
      const back = LexicalIndex.restore(shifted);
      shifted.fill(0xff);
      expect(back && hitsOf(back)).toEqual(hitsOf(indexOf(...TEXTS)));
    }
  });

  it('contains nothing of removed documents', () => {
    const index = indexOf('apple', 'a secret word');
    index.remove(1);
    expect(Buffer.from(index.snapshot()).includes('secret')).toBe(false);
    expect(index.snapshot()).toEqual(indexOf('apple').snapshot());
  });
});

type Change = {
  readonly kind: 'add' | 'remove' | 'replace' | 'restore' | 'open';
  readonly at: number;
  readonly text: string;
};

/** Applies the changes to an index that is sometimes restored and to one that never is, and compares both. */
function expectNoDifference(changes: Iterable<Change>): void {
  const never = new LexicalIndex();
  let often = new LexicalIndex();
  const numbers = new Map<number, number>();
  const compare = () => {
    for (const query of QUERIES) {
      const expected = never.search(query, { limit: 50 });
      const found = often.search(query, { limit: 50 });
      expect(found).toEqual(expected.map((hit) => ({ ...hit, document: numbers.get(hit.document) })));
    }
  };
  for (const { kind, at, text } of changes) {
    const target = [...numbers.keys()][at % numbers.size];
    if (kind === 'restore' || kind === 'open') {
      const before = hitsOf(often);
      often = kind === 'restore' ? restored(often) : opened(often);
      // Without the searches, its lists are looked up after later changes.
      if (at % 2 === 0) expect(hitsOf(often)).toEqual(before);
      if (at % 2 === 0) compare();
    } else if (kind === 'add' || target === undefined) {
      numbers.set(never.add(text), often.add(text));
    } else {
      const other = numbers.get(target) as number;
      numbers.delete(target);
      if (kind === 'replace') numbers.set(never.replace(target, text), often.replace(other, text));
      else expect([never.remove(target), often.remove(other)]).toEqual([true, true]);
    }
  }
  compare();
  expect(often.size).toBe(never.size);
}

describe('an index that is sometimes restored or opened behaves like one that never is', () => {
  const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
  const kind = fc.constantFrom<Change['kind']>('add', 'add', 'replace', 'remove', 'restore', 'open');

  it('during some changes', () => {
    fc.assert(fc.property(fc.array(fc.record({ kind, at: fc.nat(), text }), { maxLength: 60 }), expectNoDifference), {
      numRuns: rounds(200, 60),
    });
  });

  it('during 10,000 changes with sweeps', () => {
    const changes = function* (seed: number): Generator<Change> {
      let state = seed;
      const next = (below: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      for (let i = 0; i < 10_000; i++) {
        const words = Array.from({ length: next(12) }, () => `${WORDS[next(WORDS.length)]} w${next(400)}`);
        const back = i % 5000 === 2000 ? 'restore' : 'open';
        const kind = i % 2500 === 2000 ? back : (['add', 'remove', 'replace', 'replace'] as const)[next(4)];
        yield { kind: kind ?? 'add', at: next(2 ** 31), text: words.join(' ') };
      }
    };
    fc.assert(
      fc.property(fc.nat(), (seed) => expectNoDifference(changes(seed))),
      { numRuns: rounds(4) },
    );
  });
});

describe('restore refuses', () => {
  const bytes = indexOf(...TEXTS).snapshot();

  it('truncated snapshots, and snapshots with extra bytes', () => {
    for (const cut of truncated(bytes)) expect(LexicalIndex.restore(cut)).toBeUndefined();
    expect(LexicalIndex.restore(Buffer.concat([bytes, Buffer.alloc(1)]))).toBeUndefined();
    expect(LexicalIndex.restore(Buffer.from('{"documents":[]}'))).toBeUndefined();
  });

  it('an index of another language', () => {
    expect(LexicalIndex.restore(bytes, { language: 'de' })).toBeUndefined();
    expect(LexicalIndex.restore(bytes, { language: 'en' })).toBeUndefined();
    expect(LexicalIndex.restore(bytes)?.size).toBe(TEXTS.length);
  });

  it('another version of the format or of the analysis', () => {
    const text = Buffer.from(bytes).toString('latin1');
    const other = (from: string, to: string) => {
      expect(text).toContain(from);
      return Buffer.from(text.replace(from, to), 'latin1');
    };
    expect(LexicalIndex.restore(other('"format":6', '"format":4'))).toBeUndefined();
    expect(LexicalIndex.restore(other('words 7 detected', 'words 6 detected'))).toBeUndefined();
  });

  it('word lists that do not fit the postings', () => {
    const text = Buffer.from(bytes).toString('latin1');
    expect(text).toContain('"red","appl","pie"');
    for (const words of ['"red","appl","red"', '"red","appl_,_pie"', '"red",["ppl"],""']) {
      const other = text.replace('"red","appl","pie"', words);
      expect(LexicalIndex.restore(Buffer.from(other, 'latin1'))).toBeUndefined();
    }
  });

  it('snapshots with the other byte order', () => {
    expect(LexicalIndex.restore(ofOtherByteOrder(bytes))).toBeUndefined();
  });

  it('damaged snapshots, or else returns a working index', () => {
    let [tried, refused] = [0, 0];
    for (const other of mangled(bytes)) {
      tried++;
      const index = LexicalIndex.restore(other);
      if (index === undefined) {
        refused++;
        continue;
      }
      for (const hits of hitsOf(index)) {
        expect(hits.every(({ document, score }) => index.has(document) && score > 0)).toBe(true);
        expect(new Set(hits.map(({ document }) => document)).size).toBe(hits.length);
      }
      const added = index.add('apple pie');
      expect(index.search('apple', { limit: 1 })).toHaveLength(1);
      expect(index.remove(added)).toBe(true);
      expect(LexicalIndex.restore(index.snapshot())?.size).toBe(index.size);
    }
    expect(refused).toBeGreaterThan(tried / 2);
  });
});
