import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Engine, OpenEngine, Setting } from './engine.ts';
import { partsOf } from './parts.ts';
import { wordsOf } from './stop-words.ts';

/** A full-text table with Porter stems. A query matches any of its words, each quoted, and ranks by bm25. */
export const sqlite = sqliteEngine('SQLite FTS5', () => new Set());

/** It has no stop words, so they are removed from texts and queries beforehand. */
export const sqliteSameStopWords = sqliteEngine('SQLite FTS5, same stop words', ({ stopWords }) => stopWords);

/** Matches any three characters in a row, so it needs no words. */
export const sqliteTrigrams: Engine = {
  name: 'SQLite FTS5, trigrams',
  async open() {
    const database = new DatabaseSync(':memory:');
    database.exec("CREATE VIRTUAL TABLE entries USING fts5(content, tokenize = 'trigram')");
    const insert = database.prepare('INSERT INTO entries (rowid, content) VALUES (?, ?)');
    const find = database.prepare('SELECT rowid FROM entries WHERE entries MATCH ? ORDER BY bm25(entries) LIMIT ?');
    return {
      async add(entries) {
        for (const [place, { content }] of entries.entries()) insert.run(place, content);
      },
      search(query, limit) {
        const parts = [...new Set(partsOf(query, TRIGRAM))].filter((part) => [...part].length === TRIGRAM);
        if (parts.length === 0) return [];
        return find.all(parts.map((part) => `"${part}"`).join(' OR '), limit).map(({ rowid }) => Number(rowid));
      },
      async close() {
        database.close();
      },
    };
  },
};

const TRIGRAM = 3;

function sqliteEngine(name: string, leftOut: (setting: Setting) => ReadonlySet<string>): Engine {
  return {
    name,
    async open(setting) {
      const database = new DatabaseSync(fileIn(setting));
      database.exec("CREATE VIRTUAL TABLE entries USING fts5(content, tokenize = 'porter unicode61')");
      return opened(database, setting, leftOut(setting));
    },
    reopen: async (setting) => opened(new DatabaseSync(fileIn(setting)), setting, leftOut(setting)),
  };
}

function opened(database: DatabaseSync, setting: Setting, leftOut: ReadonlySet<string>): OpenEngine {
  const keptOf = (text: string) => wordsOf(text).filter((word) => !leftOut.has(word));
  const find = database.prepare('SELECT rowid FROM entries WHERE entries MATCH ? ORDER BY bm25(entries) LIMIT ?');
  return {
    async add(entries) {
      const insert = database.prepare('INSERT INTO entries (rowid, content) VALUES (?, ?)');
      database.exec('BEGIN');
      for (const [place, { content }] of entries.entries()) {
        insert.run(place, leftOut.size === 0 ? content : keptOf(content).join(' '));
      }
      database.exec('COMMIT');
    },
    search(query, limit) {
      const words = keptOf(query);
      if (words.length === 0) return [];
      return find.all(words.map((word) => `"${word}"`).join(' OR '), limit).map(({ rowid }) => Number(rowid));
    },
    fileBytesBesideTexts() {
      const texts = database.prepare('SELECT sum(octet_length(content)) AS bytes FROM entries').get()?.bytes;
      return statSync(fileIn(setting)).size - Number(texts);
    },
  };
}

function fileIn({ directory }: Setting): string {
  return join(directory, 'entries.db');
}
