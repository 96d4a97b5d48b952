import { once } from 'node:events';
import type { OutputStream, Surroundings } from '../surroundings.ts';

/** The maximum width of wrapped text, because longer lines are hard to read. */
const MAX_WIDTH = 100;

/** The output of a command: formatted on a terminal, plain text in a pipe, or JSON. */
export class Output {
  /** Whether the output is JSON. */
  readonly json: boolean;
  /** Whether the output goes to a terminal: neither a pipe nor JSON. */
  readonly isTerminal: boolean;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;

  constructor(json: boolean, { stdout, stderr }: Surroundings) {
    this.json = json;
    this.isTerminal = !json && stdout.isTTY === true;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /** The width of the terminal in columns. */
  get columns(): number {
    return this.stdout.columns || 80;
  }

  /** The width of text in columns. */
  get width(): number {
    return Math.min(this.columns, MAX_WIDTH);
  }

  /** Writes a line to standard output. Waits if the reader cannot keep up. */
  async line(text: string): Promise<void> {
    if (!this.stdout.write(`${text}\n`)) await once(this.stdout, 'drain');
  }

  /** Writes fields separated by tabs. */
  async fields(...fields: readonly (string | number)[]): Promise<void> {
    await this.line(fields.join('\t'));
  }

  /** Writes a JSON value on one line. */
  async value(value: unknown): Promise<void> {
    await this.line(JSON.stringify(value));
  }

  /** Writes a message to standard error, because it is not part of the result. Writes nothing if the output is JSON. */
  note(text: string): void {
    if (!this.json) this.stderr.write(`${text}\n`);
  }
}

/** Formats a number: with thousands separators on a terminal, plain in a pipe. */
export function count(output: Output, number: number): string {
  return output.isTerminal ? number.toLocaleString('en') : String(number);
}

/** Formats a number with its noun, such as `1 memory` or `1,200 memories`. */
export function countOf(output: Output, number: number, one: string, many = `${one}s`): string {
  return `${count(output, number)} ${number === 1 ? one : many}`;
}
