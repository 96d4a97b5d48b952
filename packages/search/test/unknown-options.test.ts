import { describe, expect, it } from 'vitest';
import { analyse, LexicalIndex, RecordTable, VectorIndex } from '../src/index.ts';

const lexical = new LexicalIndex();
const vectors = new VectorIndex({ dimensions: 2 });
const read = () => ({}) as never;

describe('refuses unknown options and suggests the nearest', () => {
  it.each<[of: string, call: (options: never) => unknown, options: object, nearest: string]>([
    ['new LexicalIndex', (options) => new LexicalIndex(options), { languge: 'en' }, 'language'],
    [
      'LexicalIndex.restore',
      (options) => LexicalIndex.restore(new Uint8Array(), options),
      { languge: 'en' },
      'language',
    ],
    ['LexicalIndex.search', (options) => lexical.search('tea', options), { limits: 1 }, 'limit'],
    ['new VectorIndex', (options) => new VectorIndex(options), { dimensions: 2, dimension: 3 }, 'dimensions'],
    ['VectorIndex.search', (options) => vectors.search([1, 0], options), { limits: 1 }, 'limit'],
    [
      'VectorComparison.nearest',
      (options) => vectors.compare([1, 0]).nearest(options),
      { Filter: () => true },
      'filter',
    ],
    ['new RecordTable', (options) => new RecordTable(options), { read, dimension: 2 }, 'dimensions'],
    ['analyse', (options) => analyse('tea', options), { languge: 'en' }, 'language'],
  ])('%s', (_, call, options, nearest) => {
    const misspelt = Object.keys(options).at(-1);
    expect(() => call(options as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: `Unknown option \`${misspelt}\`. Did you mean \`${nearest}\`?`,
      }),
    );
  });
});
