import type { OutputStream } from '../surroundings.ts';
import { cyan, dim } from './style.ts';

/*
 * A single line that is redrawn. This uses no library, because the small one is unmaintained and the maintained ones take
 * over standard input, which may be the pipe to import.
 */

const REDRAW_MS = 100;
const BAR_COLUMNS = 24;

/** Shows the progress of an import or a copy, only on a terminal. */
export class Progress {
  readonly #stream: OutputStream | undefined;
  readonly #totalBytes: number | undefined;
  readonly #done: string;
  readonly #startedAt = performance.now();
  #drawnAt = this.#startedAt;
  #visible = false;

  /**
   * @param totalBytes - The size of the input, if known.
   * @param done - What was done with the records.
   */
  constructor(stream: OutputStream | undefined, totalBytes: number | undefined, done = 'read') {
    this.#done = done;
    this.#stream = stream?.isTTY ? stream : undefined;
    this.#totalBytes = totalBytes;
  }

  /** Shows how far it is. Redraws at most every 100 ms, so callers need not throttle. */
  show(bytesRead: number, records: number): void {
    if (this.#stream === undefined) return;
    const now = performance.now();
    if (now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    const rate = Math.round((records / (now - this.#startedAt)) * 1_000);
    const figures = `${records.toLocaleString('en')} ${this.#done}, ${rate.toLocaleString('en')} per second`;
    this.#draw(`${this.#bar(bytesRead, this.#stream)}${figures}`);
  }

  /** Clears the line. */
  clear(): void {
    if (this.#visible) this.#draw('');
    this.#visible = false;
  }

  #bar(bytesRead: number, stream: OutputStream): string {
    if (!this.#totalBytes) return '';
    const share = Math.min(1, bytesRead / this.#totalBytes);
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    // A narrow terminal would wrap the bar, and a wrapped line cannot be redrawn.
    if ((stream.columns ?? 80) < 80) return `${percent}  `;
    const full = Math.round(share * BAR_COLUMNS);
    return `${cyan('━'.repeat(full), stream)}${dim('━'.repeat(BAR_COLUMNS - full), stream)} ${percent}  `;
  }

  #draw(line: string): void {
    this.#stream?.write(`\r${line}\u001b[K`);
    this.#visible = true;
  }
}
