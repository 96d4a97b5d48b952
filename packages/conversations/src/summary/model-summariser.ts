import { MemoryError, type MemoryModel } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames, guarded } from '@keepsake/core/adapter';
import { objectAnswer, placeholder, withoutThoughts } from '@keepsake/internal';
import { expectCount } from '../expect.ts';
import type { Summariser, SummaryInput } from './summariser.ts';
import { SUMMARY_SCHEMA, summaryPrompt, summarySystemPrompt } from './summary-prompt.ts';

/** Options of {@link ModelSummariser}. */
export interface ModelSummariserOptions {
  readonly model: MemoryModel;
  /** Instructions in addition to the built-in ones, such as `Keep every order number.` */
  readonly instructions?: string | undefined;
  /**
   * The maximum number of tokens of a prompt, besides the instructions: a token is 3 bytes of UTF-8, which is more than most
   * models count. 100 or more. Messages that do not fit are cut, and if there are too many, left out.
   *
   * @default 8000
   */
  readonly maxTokens?: number | undefined;
  /** The maximum length of a summary in words. @default 300 */
  readonly maxWords?: number | undefined;
}

const OPTIONS: FieldNames<ModelSummariserOptions> = {
  model: true,
  instructions: true,
  maxTokens: true,
  maxWords: true,
};

export const DEFAULT_MAX_TOKENS = 8_000;
/** The markup of a prompt takes up to a third of this. */
export const MIN_MAX_TOKENS = 100;
export const BYTES_PER_TOKEN = 3;

/** Asks a model for a new summary of a session, from the previous one and the runs since. */
export class ModelSummariser implements Summariser {
  readonly maxTokens: number;
  readonly #options: ModelSummariserOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
  constructor(options: ModelSummariserOptions) {
    const checkedOptions = expectKnownFields(options, OPTIONS);
    const { model, maxTokens = DEFAULT_MAX_TOKENS, maxWords } = checkedOptions;
    expect(
      guarded('`model`', () => typeof model?.generate === 'function'),
      'A ModelSummariser needs a model with generate().',
    );
    expectCount(maxTokens, 'maxTokens', MIN_MAX_TOKENS);
    expectCount(maxWords, 'maxWords', 1);
    this.maxTokens = maxTokens;
    this.#options = checkedOptions;
  }

  async summarise(input: SummaryInput): Promise<string> {
    const { model, instructions, maxWords = 300 } = this.#options;
    const answer = await model.generate({
      system: summarySystemPrompt(instructions, maxWords),
      prompt: summaryPrompt(input, this.maxTokens * BYTES_PER_TOKEN),
      schema: SUMMARY_SCHEMA,
      signal: input.signal,
    });
    const summary = textOf(answer);
    if (summary !== '') return summary;
    throw new MemoryError('BACKEND', 'The model returned no summary. Use a model that supports schemas.');
  }
}

/** A model without schema support may answer with the plain summary. What is no summary must not replace the one so far. */
function textOf(answer: Awaited<ReturnType<MemoryModel['generate']>>): string {
  const fields = objectAnswer(answer, ['summary']);
  const text = fields === undefined ? plainAnswer(answer?.text) : fields.summary;
  const summary = Array.isArray(text) ? text.filter((part) => typeof part === 'string').join(' ') : text;
  if (typeof summary !== 'string' || placeholder(summary) !== undefined) return '';
  return NO_SUMMARY.test(summary) || REFUSAL.test(summary) ? '' : summary.trim();
}

/** A text without thoughts, unless it has JSON, which is no summary or is cut off. */
function plainAnswer(text: unknown): string {
  const answer = typeof text === 'string' ? withoutThoughts(text) : '';
  return /```|[{[]\s*\\*["'“‘`{[]|^[{["]/.test(answer) ? '' : answer;
}

/** Words that are no summary, and sentences that only announce one. */
const NO_SUMMARY = /^[^\p{L}\p{N}]*(?:true|false|summary|here(?:['’]s| is)\b.{0,60}:)[^\p{L}\p{N}]*$/iu;

/** The beginnings of words for what models refuse to do. */
const TASK =
  '(?:help|assist|do (?:this|that|so)|comply|process|provid|summari[sz]|writ|fulfil|discuss|engag|answer|respond|continu|shar(?:e|ing) (?:that|this)|(?:this|that|your) (?:request|task|question))';

/** How models refuse. A summary may speak as the user does: "I can't eat nuts." */
const REFUSAL = new RegExp(
  [
    `(?:I(?:['’]m| am) )?(?:very |so |really |truly )?sorry[,.]? (?:but |maar )?(?:I (?:can|am (?:not|unable)|won|will not|do not|don|must|have to)|I['’]m (?:not|unable)|as an AI|(?:this|that) (?:request|content|is )|ik|daar)`,
    `(?:I|my sincere|my) apologi(?:[sz]e|es)[,.]? (?:but|for|I)\\b`,
    `(?:unfortunately,? )?I(?:['’]m| am) (?:unable|not able|afraid I)\\b.{0,20} ${TASK}`,
    `(?:unfortunately,? )?I (?:can(?:['’]|no)?t|won['’]t|will not|am not allowed to) ${TASK}`,
    `I(?:['’]m| am) not (?:comfortable|allowed|permitted)\\b.{0,20} ${TASK}`,
    `I do(?:n['’]t| not) feel comfortable\\b.{0,20} ${TASK}`,
    "I(?:['’]m| am) (?:just |only )?an AI\\b",
    'I (?:must|have to|need to) (?:respectfully |politely )?decline(?:[.,]| (?:this|that|your|the) request| to\\b)',
    'As an? (?:AI|(?:large )?language model)(?: (?:language model|model|assistant|system))?,? I\\b',
    '(?:Es )?tut mir leid\\b',
    'Als (?:KI|Sprachmodell)\\b',
    'Ich kann (?:dir |Ihnen )?(?:dabei |damit )?(?:leider )?nicht (?:weiter)?helfen',
    '(?:Je (?:suis )?)?désolée?(?= |,)|Je ne peux pas (?:vous |t.)?(?:aider|répondre|traiter|résumer|faire)',
    'Lo siento\\b|No puedo (?:ayudar|responder)',
    '(?:Desculpe|Sinto muito)\\b|Mi dispiace\\b|Tyvärr kan jag inte\\b|Przepraszam\\b|Üzgünüm',
    '(?:Извините|К сожалению, я не|很?抱歉|对不起|對不起|我无法|申し訳|すみません|죄송|عذر|मुझे खेद)',
  ]
    .map((start) => `^[^\\p{L}\\p{N}]*(?:${start})`)
    .join('|'),
  'iu',
);
