import type { Entry, Setting } from '../engines/engine.ts';

/** One way to show a model what is known of a question. */
export interface Injector {
  readonly name: string;
  /** What to know before reading its figures. */
  readonly note?: string;
  /** Knowing some entries. */
  open(entries: readonly Entry[], setting: Setting): Promise<OpenInjector>;
}

interface OpenInjector {
  /** The text that a question gets; empty where it gets none. */
  blockFor(question: string): Promise<string>;
}

/**
 * What was appended to a question.
 *
 * @throws Error where the message does not begin with the question.
 */
export function appendedTo(question: string, message: unknown): string {
  const text = String(message);
  if (!text.startsWith(question)) throw new Error(`The question was replaced: ${question}`);
  return text.slice(question.length).trim();
}
