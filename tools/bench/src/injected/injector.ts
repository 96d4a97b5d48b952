import type { Entry, Setting } from '../engines/engine.ts';

/** A way to show a model memories for a question. */
export interface Injector {
  readonly name: string;
  /** A note that explains its figures. */
  readonly note?: string;
  /** Opens the injector with some entries. */
  open(entries: readonly Entry[], setting: Setting): Promise<OpenInjector>;
}

interface OpenInjector {
  /** The text that is added to a question; empty if there is none. */
  blockFor(question: string): Promise<string>;
}

/**
 * The text that was appended to a question.
 *
 * @throws Error if the message does not start with the question.
 */
export function appendedTo(question: string, message: unknown): string {
  const text = String(message);
  if (!text.startsWith(question)) throw new Error(`The question was replaced: ${question}`);
  return text.slice(question.length).trim();
}
