import type { Mind } from './agent.ts';
import { contentWords } from './matches.ts';
import type { Recollection } from './newest-first.ts';
import { isRequest, questionsIn, sentencesOf, statementsIn } from './sentences.ts';
import { when } from './terminal.ts';

const QUOTED = 3;
/** The longest memory that is quoted whole, in characters. */
const MAX_QUOTED = 400;
/** Words that say nothing about what is asked: why, and then. */
const EMPTY = new Set(['why', 'how', 'which', 'then', 'so', 'really', 'ok', 'okay', 'there', 'that', 'else', 'now']);

/** Answers without a model: it quotes what it recalls and makes nothing up. */
export const fromMemory: Mind = {
  name: 'memory alone',
  hasOwnWords: false,
  async answer({ text, recalled }) {
    const lines: string[] = [];
    if (statementsIn(text) !== '') lines.push("I'll remember that.");
    const asked = questionsIn(text);
    const isBare = contentWords(asked).every((word) => EMPTY.has(word));
    if (asked !== '') {
      lines.push(...(recalled.length > 0 && !isBare ? quotations(recalled, asked) : [withoutMemory(asked)]));
    }
    return lines.join('\n') || 'Tell me something, or ask me about what you told me.';
  },
};

function withoutMemory(asked: string): string {
  return isRequest(asked)
    ? 'I have nothing about that, and only remember and recall. With OPENAI_API_KEY, a model answers.'
    : 'I have nothing about that yet.';
}

function quotations(recalled: readonly Recollection[], asked: string): string[] {
  return ['This comes closest:', ...recalled.slice(0, QUOTED).map((one) => quotation(one, asked))];
}

/** One memory as a line, with its time and who said it; of a long one, the sentence that has most of the words asked for. */
export function quotation({ content, createdAt, turn, isEarlier }: Recollection, asked = ''): string {
  const speaker = turn?.speaker === 'assistant' ? 'I' : 'you';
  return `  ${isEarlier ? 'before that, ' : ''}${when(createdAt)}, ${speaker} said: ${excerpt(content, asked)}`;
}

function excerpt(content: string, asked: string): string {
  if (content.length <= MAX_QUOTED) return content;
  const wanted = new Set(contentWords(asked));
  const shared = (sentence: string) => contentWords(sentence).filter((word) => wanted.has(word)).length;
  const [best = ''] = sentencesOf(content).toSorted((a, b) => shared(b) - shared(a));
  const cut = best.length > MAX_QUOTED ? `${best.slice(0, MAX_QUOTED)} …` : best;
  return `${content.startsWith(best) ? '' : '… '}${cut}${content.endsWith(best) ? '' : ' …'}`;
}
