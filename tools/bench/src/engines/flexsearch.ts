import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importPeer } from '../peers.ts';
import type { Engine, OpenEngine, Setting } from './engine.ts';

interface Index {
  add(id: number, content: string): void;
  search(query: string, options: { readonly limit: number; readonly suggest: boolean }): readonly number[];
  export(write: (key: string, data: string | undefined) => void): Promise<void> | void;
  import(key: string, data: string): void;
}

interface FlexSearch {
  readonly default: { readonly Index: new (options: object) => Index };
}

interface English {
  readonly default: { readonly stemmer: ReadonlyMap<string, string> };
}

/** By default it requires all words; with `suggest` it also returns entries with some of them, those with more first. */
export const flexsearch = flexSearchEngine('FlexSearch', async () => ({}));

/** With the stems of its own English language pack. */
export const flexsearchSameStopWords = flexSearchEngine('FlexSearch, stems, same stop words', async ({ stopWords }) => {
  const { default: english } = await importPeer<English>('flexsearch/lang/en');
  return { encoder: { filter: stopWords, stemmer: english.stemmer } };
});

function flexSearchEngine(name: string, options: (setting: Setting) => Promise<object>): Engine {
  const create = async (setting: Setting) => {
    const { default: flexsearch } = await importPeer<FlexSearch>('flexsearch');
    return new flexsearch.Index(await options(setting));
  };
  return {
    name,
    open: async (setting) => opened(await create(setting), setting),
    async reopen(setting) {
      const index = await create(setting);
      for (const file of readdirSync(setting.directory)) {
        index.import(file, readFileSync(join(setting.directory, file), 'utf8'));
      }
      return opened(index, setting);
    },
  };
}

function opened(index: Index, { directory }: Setting): OpenEngine {
  return {
    async add(entries) {
      for (const [place, { content }] of entries.entries()) index.add(place, content);
    },
    search: (query, limit) => index.search(query, { limit, suggest: true }),
    async save() {
      await index.export((key, data) => {
        if (data !== undefined) writeFileSync(join(directory, key), data);
      });
    },
  };
}
