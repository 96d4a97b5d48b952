import type { Conversation } from './conversation.ts';

/** All texts of some conversations: messages and questions. */
export function textsOf(conversations: readonly Conversation[]): string[] {
  return conversations.flatMap(({ entries, questions, unanswerable }) => [
    ...entries.map(({ content }) => content),
    ...questions.map(({ text }) => text),
    ...unanswerable,
  ]);
}
