import { once } from 'node:events';

/** How wide text is wrapped at most: longer lines are hard to read. */
const MAX_WIDTH = 100;

/** Where a command writes: for people on a terminal, plain text in a pipe, or JSON. */
export class Output {
  /** Whether JSON was asked for. */
  readonly json: boolean;
  /** Whether a person reads along: neither a pipe nor JSON. */
  readonly isTerminal: boolean;

  constructor(json: boolean) {
    this.json = json;
    this.isTerminal = !json && process.stdout.isTTY === true;
  }

  /** How many columns text may take. */
  get width(): number {
    return Math.min(process.stdout.columns || 80, MAX_WIDTH);
  }

  /** Writes a line to standard output, and waits while its reader is slower. */
  async line(text: string): Promise<void> {
    if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
  }

  /** Writes fields with tabs between them. */
  async fields(...fields: readonly (string | number)[]): Promise<void> {
    await this.line(fields.join('\t'));
  }

  /** Writes a JSON value on a line. */
  async value(value: unknown): Promise<void> {
    await this.line(JSON.stringify(value));
  }

  /** Says something to the person, on standard error, which is no part of the result. */
  note(text: string): void {
    if (!this.json) process.stderr.write(`${text}\n`);
  }
}

/** A number for a person, or plain in a pipe. */
export function count(output: Output, number: number): string {
  return output.isTerminal ? number.toLocaleString('en') : String(number);
}
