import type { WriteStream } from 'node:tty';
import { cyan, dim } from './style.ts';

/*
 * One line that is drawn over and over. Of the libraries for it, the small one has had no release for years, and the
 * well-kept ones take over the keyboard, which may be the pipe that is imported.
 */

const REDRAW_MS = 100;
const BAR_COLUMNS = 24;

/** How far an import is; on terminals alone. */
export class Progress {
  readonly #stream: WriteStream | undefined;
  readonly #totalBytes: number | undefined;
  readonly #begun = performance.now();
  #drawn = this.#begun;
  #visible = false;

  /** @param totalBytes - How much there is to read, where that is known. */
  constructor(stream: WriteStream | undefined, totalBytes: number | undefined) {
    this.#stream = stream?.isTTY ? stream : undefined;
    this.#totalBytes = totalBytes;
  }

  /** May be called as often as one likes: it draws every tenth of a second. */
  show(bytesRead: number, records: number): void {
    if (this.#stream === undefined) return;
    const now = performance.now();
    if (now - this.#drawn < REDRAW_MS) return;
    this.#drawn = now;
    const rate = Math.round((records / (now - this.#begun)) * 1_000);
    const figures = `${records.toLocaleString('en')} read, ${rate.toLocaleString('en')} a second`;
    this.#draw(`${this.#bar(bytesRead, this.#stream)}${figures}`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#visible) this.#draw('');
    this.#visible = false;
  }

  #bar(bytesRead: number, stream: WriteStream): string {
    if (!this.#totalBytes) return '';
    const share = Math.min(1, bytesRead / this.#totalBytes);
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    // A line that is broken by the terminal can't be drawn over.
    if (stream.columns < 80) return `${percent}  `;
    const full = Math.round(share * BAR_COLUMNS);
    return `${cyan('━'.repeat(full), stream)}${dim('━'.repeat(BAR_COLUMNS - full), stream)} ${percent}  `;
  }

  #draw(line: string): void {
    this.#stream?.write(`\r${line}\u001b[K`);
    this.#visible = true;
  }
}
