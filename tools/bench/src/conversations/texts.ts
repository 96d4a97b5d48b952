import type { Conversation } from './conversation.ts';

/** Every text of some conversations: what was said, and what is asked. */
export function textsOf(conversations: readonly Conversation[]): string[] {
  return conversations.flatMap(({ entries, questions, unanswerable }) => [
    ...entries.map(({ content }) => content),
    ...questions.map(({ text }) => text),
    ...unanswerable,
  ]);
}
