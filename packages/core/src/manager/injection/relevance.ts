import { type Message, messageText } from '../../model/message.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';
import { sentencesOf } from './sentences.ts';
import { saysNothing } from './small-talk.ts';

/**
 * An entry is relevant if it has at least this share of the best score of its store. Chosen on the development halves of
 * LoCoMo and BEAM: below it, blocks grow faster than the evidence in them. In chats with an assistant, scores fall off
 * faster, because the user's messages count more.
 */
const RELEVANT = 0.42;
const RELEVANT_IN_CHAT = 0.5;

/** A shorter text may be part of another by chance. */
const MIN_QUOTED = 12;

/**
 * The entries of one store, best first, that tell the model something new, up to the point where scores fall off. Keeps
 * entries without a score.
 */
export function relevant(
  entries: readonly MemoryEntry[],
  messages: readonly Message[],
  conversation: string,
): readonly MemoryEntry[] {
  const isNew = newTo(messages, conversation);
  let best: number | undefined;
  return entries.filter((entry) => {
    const { score, turn } = entry;
    const isChat = turn?.speaker === 'user' || turn?.speaker === 'assistant';
    const share = isChat ? RELEVANT_IN_CHAT : RELEVANT;
    // First, because it costs least.
    if (best !== undefined && best > 0 && score !== undefined && score < share * best) return false;
    if (!isNew(entry)) return false;
    best ??= score ?? 0;
    return true;
  });
}

/**
 * Whether an entry is not already in the model's messages. An entry of this conversation is there if each of its sentences
 * is, because a message can be stored in part.
 */
function newTo(messages: readonly Message[], conversation: string): (entry: MemoryEntry) => boolean {
  const texts = messages.map((message) => messageText(message).trim());
  const all = texts.join('\n');
  const isThere = (said: string) => (said.length < MIN_QUOTED ? texts.includes(said) : all.includes(said));
  return (entry) => {
    if (saysNothing(entry)) return false;
    const said = entry.content.trim();
    return isOf(entry, conversation)
      ? !sentencesOf(said).every((sentence) => all.includes(sentence.trim()))
      : !isThere(said);
  };
}

/** Whether an entry comes from a conversation. */
export function isOf({ source, turn }: MemoryEntry, conversation: string): boolean {
  return source?.conversation === conversation || turn?.thread === conversation;
}

/** Whether the user said it. The turn says so where the source does not; metadata does not count, because anybody sets it. */
export function isFromUser({ source, turn }: MemoryEntry): boolean {
  return (source?.speaker ?? turn?.speaker) === 'user';
}
