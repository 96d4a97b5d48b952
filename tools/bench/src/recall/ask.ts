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
    const stopWords = stopWordsAmong(textsOf([conversation]));
    const given = withTurns ? entries : entries.map(({ turn: _, ...entry }) => entry);
    // Another store for each time that questions were asked at, because engines get all entries at once.
    const times = Map.groupBy(questions.entries(), ([, { before = entries.length }]) => before);
    const ofConversation: Marked[] = [];
    for (const [before, asked] of times) {
      const own = mkdtempSync(join(directory, 'recall-'));
      const store = await engine.open({ directory: own, stopWords });
      await store.add(given.slice(0, before));
      for (const [place, { text, category, evidence }] of asked) {
        const found = await store.search(text, LIMIT);
        ofConversation[place] = { conversation: name, category, marks: marksOf(found, evidence) };
      }
      await store.close?.();
      rmSync(own, { recursive: true });
    }
    marked.push(...ofConversation);
  }
  return marked;
}
