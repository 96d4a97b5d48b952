import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation } from '../conversations/conversation.ts';
import { textsOf } from '../conversations/texts.ts';
import { stopWordsAmong } from '../engines/stop-words.ts';
import { LIMIT, type Marked, marksOf } from './measures.ts';
import type { System } from './systems.ts';

/** Runs all questions on one system: one store per conversation, one entry per message, one search per question. */
export async function ask(
  { engine, withTurns }: System,
  conversations: readonly Conversation[],
  directory: string,
): Promise<Marked[]> {
  const marked: Marked[] = [];
  for (const conversation of conversations) {
    const { name, entries, questions } = conversation;
    const own = mkdtempSync(join(directory, 'recall-'));
    const store = await engine.open({ directory: own, stopWords: stopWordsAmong(textsOf([conversation])) });
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
