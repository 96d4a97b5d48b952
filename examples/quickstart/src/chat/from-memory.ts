import type { Mind } from './agent.ts';
import type { Recollection } from './newest-first.ts';
import { isRequest, questionsIn, statementsIn } from './sentences.ts';
import { when } from './terminal.ts';

const QUOTED = 3;

/** Answers without a model: it quotes what it recalls and makes nothing up. */
export const fromMemory: Mind = {
  name: 'memory alone',
  hasOwnWords: false,
  async answer({ text, recalled }) {
    const lines: string[] = [];
    if (statementsIn(text) !== '') lines.push("I'll remember that.");
    const asked = questionsIn(text);
    if (asked !== '') lines.push(...(recalled.length > 0 ? quotations(recalled) : [withoutMemory(asked)]));
    return lines.join('\n') || 'Tell me something, or ask me about what you told me.';
  },
};

function withoutMemory(asked: string): string {
  return isRequest(asked)
    ? 'I have nothing about that, and only remember and recall. With OPENAI_API_KEY, a model answers.'
    : 'I have nothing about that yet.';
}

function quotations(recalled: readonly Recollection[]): string[] {
  return ['This comes closest:', ...recalled.slice(0, QUOTED).map(quotation)];
}

/** One memory as a line, with its time and who said it. */
export function quotation({ content, createdAt, turn, isEarlier }: Recollection): string {
  const speaker = turn?.speaker === 'assistant' ? 'I' : 'you';
  return `  ${isEarlier ? 'before that, ' : ''}${when(createdAt)}, ${speaker} said: ${content}`;
}
