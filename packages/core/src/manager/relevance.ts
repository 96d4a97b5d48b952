import type { MemoryEntry } from '../memory-store.ts';
import { type Message, messageText } from '../message.ts';
import { saysNothing } from './small-talk.ts';

/**
 * An entry of a store counts as relevant while it scores this share of the store's best one. Chosen on the development
 * halves of LoCoMo and BEAM: below it, blocks grow faster than the evidence in them. In a chat with an assistant scores
 * fall off faster, since what the user said counts more than what was answered.
 */
const RELEVANT = 0.42;
const RELEVANT_IN_CHAT = 0.5;

/** The entries of one store, best first, without those beyond where scores fall off. Entries without a score stay. */
export function relevant(entries: readonly MemoryEntry[]): readonly MemoryEntry[] {
  const best = entries[0]?.score;
  if (best === undefined || best <= 0) return entries;
  return entries.filter(({ score = best, turn }) => {
    const isChat = turn?.speaker === 'user' || turn?.speaker === 'assistant';
    return score >= (isChat ? RELEVANT_IN_CHAT : RELEVANT) * best;
  });
}

/** A shorter text may stand within another by chance. */
const MIN_QUOTED = 12;

/** The entries that tell a model something that it does not have in front of it. */
export function informative(entries: readonly MemoryEntry[], messages: readonly Message[]): readonly MemoryEntry[] {
  const texts = messages.map((message) => messageText(message).trim());
  const all = texts.join('\n');
  const isThere = (said: string) => (said.length < MIN_QUOTED ? texts.includes(said) : all.includes(said));
  return entries.filter((entry) => !saysNothing(entry) && !isThere(entry.content.trim()));
}
