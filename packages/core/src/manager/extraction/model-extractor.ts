import { type Check, expectFields } from '../../common/check-fields.ts';
import { expect } from '../../common/expect.ts';
import { messageText } from '../../model/message.ts';
import type { MemoryModel } from '../../model/model.ts';
import type { ExtractionBatch, Extractor, MemoryChange } from './extraction-config.ts';
import { answerSchema, EXTRACTION_SYSTEM_PROMPT, extractionPrompt, systemPrompt } from './extraction-prompt.ts';
import { partsByPrompt } from './message-parts.ts';
import { parseAnswer } from './parse-answer.ts';

/** Options of {@link ModelExtractor}. */
export interface ModelExtractorOptions {
  /** @default The manager's model, or else that of the conversation. */
  readonly model?: MemoryModel | undefined;
  /** Replaces the built-in instructions on what to keep and how to write it. The form of the answer is always appended. */
  readonly systemPrompt?: string | undefined;
  /** Additional instructions, such as `Keep only facts about food.` */
  readonly instructions?: string | undefined;
  /** Whether to update and delete known memories as facts change. `false` only adds. @default true */
  readonly consolidate?: boolean | undefined;
}

/**
 * Extracts durable facts from messages with a model that also sees the store's memories.
 *
 * Asks once more after an answer without a valid change. A second one fails the batch, and each message is tried alone. A
 * message of more than 20,000 characters is read in parts, one of more than 40,000 in several calls.
 */
export class ModelExtractor implements Extractor {
  readonly needsModel: boolean;
  readonly #options: ModelExtractorOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
  constructor(options: ModelExtractorOptions = {}) {
    this.#options = expectFields(options, '', OPTIONS);
    this.needsModel = this.#options.model === undefined;
  }

  async extract(batch: ExtractionBatch): Promise<(MemoryChange | undefined)[]> {
    // The Strands SDK has an extractor of the same name, and passes messages.
    expect(
      !Array.isArray(batch),
      'This ModelExtractor is for the MemoryManager of @keepsake/core. Import that of @strands-agents/sdk.',
    );
    const { systemPrompt: task = EXTRACTION_SYSTEM_PROMPT, instructions, consolidate = true } = this.#options;
    const model = this.#options.model ?? batch.model;
    expect(model, 'A ModelExtractor needs a model. Pass one.');
    const revise = consolidate && batch.canRevise;
    if (batch.messages.every((message) => messageText(message).trim() === '')) return [];
    const system = systemPrompt(task, instructions, revise);
    const changes: (MemoryChange | undefined)[] = [];
    for (const parts of partsByPrompt(batch.messages)) {
      const request = {
        system,
        prompt: extractionPrompt(batch, parts),
        schema: answerSchema(revise),
        signal: batch.signal,
      };
      changes.push(...(await ask(model, request, batch)));
    }
    return revise ? changes : changes.flatMap(asAddition);
  }
}

/** Asks once more after an answer that can't be read. */
async function ask(
  model: MemoryModel,
  request: Parameters<MemoryModel['generate']>[0],
  batch: ExtractionBatch,
): Promise<(MemoryChange | undefined)[]> {
  for (let attempt = 1; ; attempt++) {
    const answer = await model.generate(request);
    try {
      return parseAnswer(answer, batch);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      batch.signal.throwIfAborted();
    }
  }
}

const OPTIONS = {
  model: ['generate'],
  systemPrompt: 'string',
  instructions: 'string',
  consolidate: 'boolean',
} satisfies Record<keyof ModelExtractorOptions, Check>;

const ATTEMPTS = 2;

function asAddition(change: MemoryChange | undefined): (MemoryChange | undefined)[] {
  if (change === undefined) return [undefined];
  if (change.kind === 'delete') return [];
  const { content, speaker } = change;
  return [{ kind: 'add', content, ...(speaker && { speaker }) }];
}
