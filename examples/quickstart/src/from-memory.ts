import type { MemoryEntry } from '@keepsake/core';
import type { Mind } from './agent.ts';
import { questionsIn, statementsIn } from './sentences.ts';
import { when } from './terminal.ts';

const QUOTED = 3;

/** Answers without a model: it quotes what it recalls and makes nothing up. */
export const fromMemory: Mind = {
  name: 'memory alone',
  hasOwnWords: false,
  async answer({ text, recalled }) {
    const lines: string[] = [];
    if (statementsIn(text) !== '') lines.push("I'll remember that.");
    if (questionsIn(text) !== '') lines.push(...quote(recalled));
    return lines.join('\n') || 'Tell me something, or ask me about what you told me.';
  },
};

function quote(recalled: readonly MemoryEntry[]): string[] {
  if (recalled.length === 0) return ['I have nothing about that yet.'];
  const quotations = recalled
    .slice(0, QUOTED)
    .map(
      ({ content, createdAt, turn }) =>
        `  ${when(createdAt)}, ${turn?.speaker === 'assistant' ? 'I' : 'you'} said: ${content}`,
    );
  return ['This comes closest:', ...quotations];
}
