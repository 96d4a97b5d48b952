import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from '@keepsake/search';
import { importPeer } from '../peers.ts';
import type { Engine, OpenEngine, Setting } from './engine.ts';

interface Options {
  readonly fields: readonly string[];
  readonly processTerm?: (term: string) => string | readonly string[] | null;
}

interface Index {
  addAll(documents: readonly { readonly id: number; readonly content: string }[]): void;
  search(query: string): readonly { readonly id: number }[];
}

interface MiniSearch {
  readonly default: (new (options: Options) => Index) & { loadJSON(json: string, options: Options): Index };
}

/** Its search ranks all entries with any of the words by BM25+. It has no limit, so the caller truncates. */
export const minisearch = miniSearchEngine('MiniSearch', () => ({}));

export const minisearchSameStopWords = miniSearchEngine('MiniSearch, same stop words', ({ stopWords }) => ({
  processTerm: (term) => {
    const word = term.toLowerCase();
    return stopWords.has(word) ? null : word;
  },
}));

/** Also with Keepsake's stems, so that only the ranking differs. */
export const minisearchSameStems = miniSearchEngine('MiniSearch, same stop words and stems', ({ stopWords }) => ({
  processTerm: (term) => (stopWords.has(term.toLowerCase()) ? null : analyse(term)),
}));

function miniSearchEngine(name: string, own: (setting: Setting) => Omit<Options, 'fields'>): Engine {
  const options = (setting: Setting): Options => ({ fields: ['content'], ...own(setting) });
  return {
    name,
    async open(setting) {
      const { default: MiniSearch } = await importPeer<MiniSearch>('minisearch');
      return opened(new MiniSearch(options(setting)), setting);
    },
    async reopen(setting) {
      const { default: MiniSearch } = await importPeer<MiniSearch>('minisearch');
      return opened(MiniSearch.loadJSON(readFileSync(jsonIn(setting), 'utf8'), options(setting)), setting);
    },
  };
}

function opened(index: Index, setting: Setting): OpenEngine {
  return {
    async add(entries) {
      index.addAll(entries.map(({ content }, id) => ({ id, content })));
    },
    search: (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => id),
    async save() {
      writeFileSync(jsonIn(setting), JSON.stringify(index));
    },
  };
}

function jsonIn({ directory }: Setting): string {
  return join(directory, 'index.json');
}
