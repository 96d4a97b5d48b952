import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stopWordsAmong } from '../engines/stop-words.ts';
import type { Conversation } from './conversation.ts';
import { LIMIT, type Marked, marksOf } from './measures.ts';
import type { System } from './systems.ts';

/** Asks one system everything: a store a conversation, an entry a turn, a search a question. */
export async function ask(
  { engine, withTurns }: System,
  conversations: readonly Conversation[],
  directory: string,
): Promise<Marked[]> {
  const marked: Marked[] = [];
  for (const { name, entries, questions } of conversations) {
    const own = mkdtempSync(join(directory, 'recall-'));
    const texts = [...entries.map(({ content }) => content), ...questions.map(({ text }) => text)];
    const store = await engine.open({ directory: own, stopWords: stopWordsAmong(texts) });
    await store.add(withTurns ? entries : entries.map(({ turn: _, ...entry }) => entry));
    for (const { text, category, evidence } of questions) {
      const found = await store.search(text, LIMIT);
      marked.push({ conversation: name, category, marks: marksOf(found, evidence) });
    }
    await store.close?.();
    rmSync(own, { recursive: true });
  }
  return marked;
}
