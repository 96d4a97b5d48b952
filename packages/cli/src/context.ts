import { type Namespace, parseNamespace } from '@keepsake/core';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { usageFailure } from './failure.ts';
import { Output } from './output.ts';
import { yellow } from './style.ts';

/** The options that every command has. */
export interface Settings {
  readonly directory: string;
  /** As `formatNamespace` writes it; by default the root. */
  readonly namespace?: string;
  readonly json?: boolean;
}

/** What a command works with. */
export class Context {
  readonly directory: string;
  readonly namespace: Namespace;
  readonly output: Output;
  readonly #damagedLogs = new Set<string>();
  readonly #stores: FileStore[] = [];

  constructor(directory: string, namespace: Namespace, output: Output) {
    this.directory = directory;
    this.namespace = namespace;
    this.output = output;
  }

  /** The memories of a namespace, by default of the one that was asked for. Makes no files before it writes. */
  openStore(namespace: Namespace = this.namespace): FileStore {
    const store = new FileStore({ ...this.#files(), name: 'keepsake', namespace });
    this.#stores.push(store);
    return store;
  }

  /** Closes what was opened, which makes it quicker to open again. */
  async close(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.close()));
  }

  /** All sessions of the directory. */
  openSessions(): FileSessionStore {
    return new FileSessionStore(this.#files());
  }

  /** Says so where damaged lines were left out of what was read. */
  warnOfDamage(): void {
    if (this.#damagedLogs.size === 0) return;
    const message = `Lines of ${this.#damagedLogs.size === 1 ? 'a log' : `${this.#damagedLogs.size} logs`} are damaged and were left out. Run keepsake doctor.`;
    if (this.output.json) process.stderr.write(`${JSON.stringify({ warning: { code: 'CORRUPT', message } })}\n`);
    else this.output.note(`${yellow('keepsake:', process.stderr)} ${message}`);
  }

  #files() {
    return {
      directory: this.directory,
      onCorrupt: ({ folder }: { readonly folder: string }) => void this.#damagedLogs.add(folder),
    };
  }
}

/** @throws Failure where the options can't be used. */
export function openContext({ directory, namespace = '', json = false }: Settings): Context {
  if (directory === '') throw usageFailure('--directory is to be the path of a directory, such as .keepsake.');
  return new Context(directory, readNamespace(namespace), new Output(json));
}

function readNamespace(text: string): Namespace {
  try {
    return parseNamespace(text);
  } catch (error) {
    throw usageFailure(
      `--namespace ${JSON.stringify(text)} can't be used: ${(error as Error).message}\nWrite it as keepsake namespaces shows it, such as user:alice.`,
      error,
    );
  }
}
