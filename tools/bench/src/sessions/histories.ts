import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionKind } from './session-kind.ts';
import { turns } from './turn.ts';

/** Directories with initial histories, each written once. */
export class Histories {
  readonly #directory: string;
  readonly #written = new Map<string, Promise<string>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** An empty directory. */
  empty(): string {
    return mkdtempSync(join(this.#directory, 'empty-'));
  }

  /** The directory with a kind's history of this many items, read-only because it is shared. */
  toRead(kind: SessionKind, items: number): Promise<string> {
    const name = `${kind.layout}-${items}`;
    const written = this.#written.get(name) ?? this.#write(name, kind, items);
    this.#written.set(name, written);
    return written;
  }

  /** A copy of that directory. Empty for a kind without files. */
  async toWrite(kind: SessionKind, items: number): Promise<string> {
    const path = this.empty();
    if (kind.layout !== undefined) cpSync(await this.toRead(kind, items), path, { recursive: true });
    return path;
  }

  async #write(name: string, kind: SessionKind, items: number): Promise<string> {
    const path = join(this.#directory, name);
    mkdirSync(path);
    await kind.open(path, turns(items / 2));
    return path;
  }
}
