import type { Collected } from './collect.ts';
import { newInput, type Prompt } from './messages.ts';
import type { RunSegment } from './run-memory.ts';

type Terminal = RunSegment['terminal'];

/** Collects the calls of a model that answer one message of the user, as a segment of a transcript. */
export class WorkspaceTurn {
  readonly #keep: (segment: RunSegment) => Promise<void>;
  #input: Prompt = [];
  #items: unknown[] = [];
  #last = '';
  /** How the turn ended, if it may still go on: the SDK repeats failed calls, and calls with results of tools follow. */
  #terminal: Terminal | undefined;

  constructor(keep: (segment: RunSegment) => Promise<void>) {
    this.#keep = keep;
  }

  /** Adds the new input of a call. Returns whether it begins a turn. */
  async begin(prompt: Prompt): Promise<boolean> {
    const { input } = newInput(prompt);
    const key = JSON.stringify(input);
    const isRepeated = this.#terminal !== undefined && key === this.#last;
    const isNew = !isRepeated && (this.#terminal === undefined || input.some(({ role }) => role === 'user'));
    if (isNew) {
      await this.end();
      this.#input = input;
    } else if (!isRepeated) {
      for (const item of input) this.#items.push(item);
    }
    this.#last = key;
    this.#terminal = UNENDED;
    return isNew;
  }

  /** Adds the answer of a model, which ends the turn unless it calls tools. */
  async answered({ content, finishReason }: Collected): Promise<void> {
    const isFailed = ['error', 'interrupted'].includes(finishReason.unified);
    this.#items.push({ role: 'assistant', content });
    if (isFailed) this.#terminal = { state: 'failed', hasFinalOutput: false };
    else if (finishReason.unified !== 'tool-calls') {
      this.#terminal = { state: 'completed', hasFinalOutput: true };
      await this.end();
    }
  }

  failed(error: unknown, isAborted: boolean): void {
    const { name, message } = error instanceof Error ? error : { name: typeof error, message: String(error) };
    const exception = error === undefined ? {} : { exceptionType: name, exceptionMessage: message };
    this.#terminal = { state: isAborted ? 'cancelled' : 'failed', ...exception, hasFinalOutput: false };
  }

  /** Stores the turn, if there is one. */
  async end(): Promise<void> {
    const terminal = this.#terminal;
    if (terminal === undefined) return;
    const segment = { input: this.#input, generatedItems: this.#items, terminal };
    this.#terminal = undefined;
    this.#items = [];
    await this.#keep(segment);
  }
}

const UNENDED: Terminal = { state: 'interrupted', hasFinalOutput: false };
