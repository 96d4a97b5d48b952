import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importPeer } from '../peers.ts';
import type { Engine, OpenEngine, Setting } from './engine.ts';

interface Orama {
  create(options: object): object;
  insertMultiple(database: object, documents: readonly object[], batch: number): Promise<unknown>;
  search(
    database: object,
    query: { readonly term: string; readonly limit: number },
  ): Promise<{ readonly hits: readonly { readonly id: string }[] }>;
  save(database: object): object;
  load(database: object, saved: object): void;
}

/** By default it returns all entries with any of the words (threshold 1), ranked by BM25, without stemming or stop words. */
export const orama = oramaEngine('Orama', () => undefined);

export const oramaSameStopWords = oramaEngine('Orama, stems, same stop words', ({ stopWords }) => ({
  language: 'english',
  stemming: true,
  stopWords: [...stopWords],
}));

function oramaEngine(name: string, tokenizer: (setting: Setting) => object | undefined): Engine {
  const create = (orama: Orama, setting: Setting) =>
    orama.create({ schema: { content: 'string' }, components: { tokenizer: tokenizer(setting) } });
  return {
    name,
    async open(setting) {
      const orama: Orama = await importPeer('@orama/orama');
      return opened(orama, create(orama, setting), setting);
    },
    async reopen(setting) {
      const orama: Orama = await importPeer('@orama/orama');
      const database = create(orama, setting);
      orama.load(database, JSON.parse(readFileSync(jsonIn(setting), 'utf8')));
      return opened(orama, database, setting);
    },
  };
}

function opened(orama: Orama, database: object, setting: Setting): OpenEngine {
  return {
    async add(entries) {
      await orama.insertMultiple(
        database,
        entries.map(({ content }, place) => ({ id: String(place), content })),
        1_000,
      );
    },
    async search(term, limit) {
      const { hits } = await orama.search(database, { term, limit });
      return hits.map(({ id }) => Number(id));
    },
    async save() {
      writeFileSync(jsonIn(setting), JSON.stringify(orama.save(database)));
    },
  };
}

function jsonIn({ directory }: Setting): string {
  return join(directory, 'index.json');
}
