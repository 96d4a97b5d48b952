import type { AddMessagesContext, JsonObject, MemoryModel, MemoryStore, Message } from '../../../src/index.ts';
import { messageText } from '../../../src/index.ts';
import { Extraction } from '../../../src/manager/extraction/extraction.ts';
import type { ExtractionOptions } from '../../../src/manager/extraction/extraction-options.ts';
import { initializer } from '../../../src/manager/options/managed-stores.ts';
import type { StoreFailure } from '../../../src/manager/search/report.ts';
import { telemetry } from '../../../src/manager/search/telemetry.ts';

export const user = (content: string): Message => ({ role: 'user', content });
export const assistant = (content: string): Message => ({ role: 'assistant', content });

/** An extraction and its reported failures. */
export function extractionOf(options: Partial<ExtractionOptions> & Pick<ExtractionOptions, 'stores'>) {
  const reports: StoreFailure[] = [];
  const report = (failure: StoreFailure) => void reports.push(failure);
  const extraction = new Extraction({
    timeZone: () => 'UTC',
    maxBuffered: 10_000,
    deadlineMs: 2_000,
    initialize: initializer(),
    report,
    span: telemetry(false),
    recallTools: new Set(),
    writes: new Set(),
    ...options,
  });
  return { extraction, reports };
}

type Answer = string | object | ((prompt: string) => string | object | Promise<string | object>);

/** A model that returns the given answers in order, repeats the last one, and records its requests. */
export class ScriptedModel implements MemoryModel {
  readonly requests: Parameters<MemoryModel['generate']>[0][] = [];
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  async generate(request: Parameters<MemoryModel['generate']>[0]) {
    this.requests.push(request);
    const next = this.#answers[Math.min(this.requests.length, this.#answers.length) - 1] ?? { changes: [] };
    const answer = typeof next === 'function' ? await next(request.prompt) : next;
    return { text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  }
}

export const adds = (...contents: string[]) => ({
  changes: contents.map((content) => ({ action: 'add', id: null, content })),
});

/** A store with addMessages() that records each call. */
export class MessageStore implements MemoryStore {
  readonly name: string;
  readonly writable = true;
  readonly extraction: boolean | object;
  readonly calls: { readonly texts: string[]; readonly context: AddMessagesContext | undefined }[] = [];
  /** Runs before each write. Does nothing by default. */
  before: (texts: string[]) => unknown = () => undefined;

  constructor(name: string, extraction: boolean | object = true) {
    this.name = name;
    this.extraction = extraction;
  }

  async search() {
    return [];
  }

  async addMessages(messages: Message[], context?: AddMessagesContext): Promise<void> {
    const texts = messages.map(messageText);
    await this.before(texts);
    this.calls.push({ texts, context });
  }

  get texts(): string[] {
    return this.calls.flatMap(({ texts }) => texts);
  }
}

/** A store with add() but without addMessages(). */
export class TextStore implements MemoryStore {
  readonly name: string;
  readonly writable = true;
  readonly extraction: boolean | object;
  readonly added: { readonly content: string; readonly metadata: JsonObject | undefined }[] = [];
  before: (content: string) => unknown = () => undefined;

  constructor(name: string, extraction: boolean | object = true) {
    this.name = name;
    this.extraction = extraction;
  }

  async search() {
    return this.added.map(({ content }) => ({ content }));
  }

  async add(content: string, metadata?: JsonObject): Promise<void> {
    await this.before(content);
    this.added.push({ content, metadata });
  }
}
