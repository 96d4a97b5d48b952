import { createInterface, type Interface } from 'node:readline';
import type { Choice } from './choices.ts';
import { Failure } from './failure.ts';
import type { Surroundings } from './surroundings.ts';

/** Asks questions on a terminal. */
export class Questions {
  readonly #terminal: Interface;
  /** Keeps lines that are typed or pasted before they are asked for. */
  readonly #lines: AsyncIterator<string>;
  readonly #write: (text: string) => void;
  #isClosed = false;

  constructor({ stdin, stderr }: Surroundings) {
    this.#terminal = createInterface({ input: stdin, output: stderr });
    this.#terminal.once('close', () => {
      this.#isClosed = true;
    });
    this.#lines = this.#terminal[Symbol.asyncIterator]();
    this.#write = (text) => stderr.write(text);
  }

  /**
   * Returns the answer, or `initial` if that is empty.
   *
   * @throws Failure if the terminal is closed, as Ctrl-C does.
   */
  async ask(question: string, initial: string): Promise<string> {
    this.#terminal.setPrompt(`${question} [${initial}]: `);
    if (!this.#isClosed) this.#terminal.prompt();
    const { value, done } = await this.#lines.next();
    if (done) throw new Failure('Cancelled. Nothing was written.', 130);
    return value.trim() || initial;
  }

  /** Returns what is typed, even if it is no choice. The caller checks it. */
  async choose(question: string, choices: Readonly<Record<string, Choice>>, initial: string): Promise<string> {
    const width = Math.max(...Object.keys(choices).map((name) => name.length));
    const lines = Object.entries(choices).map(([name, { what }]) => `  ${name.padEnd(width)}  ${what}\n`);
    this.#write(`${question}\n${lines.join('')}`);
    return this.ask('Your choice', initial);
  }

  close(): void {
    this.#terminal.close();
  }
}
