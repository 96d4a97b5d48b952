import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { estimateTokens } from '@keepsake/internal';
import type { Conversation } from '../conversations/conversation.ts';
import { textsOf } from '../conversations/texts.ts';
import { stopWordsAmong } from '../engines/stop-words.ts';
import type { Injector } from './injector.ts';
import { restatementsIn } from './restated.ts';
import { partSeen } from './seen.ts';

/** The size of a block. */
export interface Size {
  readonly tokens: number;
  readonly entries: number;
  /** How many of the entries restate one above them. */
  readonly restatements: number;
}

/** What a model sees for one question. */
export interface Shown extends Size {
  readonly conversation: string;
  readonly category: string;
  /** The share of the evidence, from 0 to 1. */
  readonly seen: number;
}

/** What models see for all questions. */
export interface AllShown {
  readonly answerable: readonly Shown[];
  readonly unanswerable: readonly Size[];
}

/** Runs all questions once: one store per conversation, one entry per message, one block per question. */
export async function showAll(
  injector: Injector,
  conversations: readonly Conversation[],
  directory: string,
): Promise<AllShown> {
  const answerable: Shown[] = [];
  const unanswerable: Size[] = [];
  for (const conversation of conversations) {
    const { name, entries, questions } = conversation;
    const own = mkdtempSync(join(directory, 'injected-'));
    const stopWords = stopWordsAmong(textsOf([conversation]));
    const { blockFor } = await injector.open(entries, { directory: own, stopWords });
    for (const { text, category, evidence } of questions) {
      const block = await blockFor(text);
      const contents = evidence.map((place) => entries[place]?.content ?? '');
      answerable.push({ conversation: name, category, seen: partSeen(block, contents), ...sizeOf(block) });
    }
    for (const text of conversation.unanswerable) unanswerable.push(sizeOf(await blockFor(text)));
    rmSync(own, { recursive: true });
  }
  return { answerable, unanswerable };
}

/** Entries escape `<`, so only real end tags count. */
export function sizeOf(block: string): Size {
  const entries = block.split('</entry>').slice(0, -1);
  return { tokens: estimateTokens(block), entries: entries.length, restatements: restatementsIn(entries) };
}
