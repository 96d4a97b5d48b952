import { expect } from '../expect.ts';
import { messageText } from '../message.ts';
import type { MemoryModel } from '../model.ts';
import { aSwitch, aText, type Check, expectFields, having } from './check-fields.ts';
import type { ExtractionBatch, Extractor, MemoryChange } from './extraction-config.ts';
import { answerSchema, EXTRACTION_SYSTEM_PROMPT, extractionPrompt, systemPrompt } from './extraction-prompt.ts';
import { parseAnswer } from './parse-answer.ts';

/** How a {@link ModelExtractor} asks. */
export interface ModelExtractorOptions {
  /** By default the manager's model. */
  readonly model?: MemoryModel;
  /** What to keep and how to write it, in place of the built-in words. How to answer is appended in any case. */
  readonly systemPrompt?: string;
  /** What to mind beside that, such as `Keep only what concerns food.` */
  readonly instructions?: string;
  /** Whether known memories are updated and deleted as facts change. With `false` it only adds. Default true. */
  readonly consolidate?: boolean;
}

/**
 * Has a model distil durable facts from messages, compared with what the store knows.
 *
 * An answer that can't be understood is asked for once more; the second fails the batch, which is tried again later.
 */
export class ModelExtractor implements Extractor {
  readonly needsModel: boolean;
  readonly #options: ModelExtractorOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't work. */
  constructor(options: ModelExtractorOptions = {}) {
    expectFields(options, '', OPTIONS);
    this.#options = options;
    this.needsModel = options.model === undefined;
  }

  async extract(batch: ExtractionBatch): Promise<MemoryChange[]> {
    const { systemPrompt: task = EXTRACTION_SYSTEM_PROMPT, instructions, consolidate = true } = this.#options;
    const model = this.#options.model ?? batch.model;
    expect(model, 'A ModelExtractor needs a model. Pass one.');
    const revise = consolidate && batch.canRevise;
    const request = {
      system: systemPrompt(task, instructions, revise),
      prompt: extractionPrompt(batch),
      schema: answerSchema(revise),
      signal: batch.signal,
    };
    if (batch.messages.every((message) => messageText(message).trim() === '')) return [];
    for (let attempt = 1; ; attempt++) {
      const answer = await model.generate(request);
      try {
        const changes = parseAnswer(answer, batch.known);
        return revise ? changes : changes.flatMap(asAddition);
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        batch.signal.throwIfAborted();
      }
    }
  }
}

const OPTIONS = {
  model: having('generate'),
  systemPrompt: aText,
  instructions: aText,
  consolidate: aSwitch,
} satisfies Record<keyof ModelExtractorOptions, Check>;

const ATTEMPTS = 2;

function asAddition(change: MemoryChange): MemoryChange[] {
  return change.kind === 'delete' ? [] : [{ kind: 'add', content: change.content }];
}
