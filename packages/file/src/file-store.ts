import { join } from 'node:path';
import { type Embedder, MemoryError, type Namespace } from '@keepsake/core';
import {
  EmbeddedStore,
  type EmbeddedStoreOptions,
  type RecordChange,
  type RecordPlace,
  type RecordSpace,
  type RecordTable,
} from '@keepsake/search';
import { reportOnce } from './corruption.ts';
import { asMemoryError } from './file-errors.ts';
import { listFolder } from './file-lock.ts';
import { isTemporary, memoryFolder, namespaceFolder } from './file-names.ts';
import { checkFileOptions, type FileOptions } from './file-options.ts';
import { Log } from './log.ts';
import { readHeader } from './log-header.ts';
import { type MemoryLine, MemoryView, writeChange } from './memory-view.ts';

/** How to open a {@link FileStore}. */
export interface FileStoreOptions<Extraction extends boolean | object = boolean>
  extends EmbeddedStoreOptions<Extraction>,
    FileOptions {}

/**
 * Memory in files that people can read, and several processes can share on one machine.
 *
 * Records belong to the directory and the namespace; the name only tells an agent's stores apart. The records of each
 * namespace that is used are held in memory with their index. Every change is appended to a log under a lock; a change
 * that a crash cut short never happened. Damaged lines are left out of what is read, and reported.
 *
 * With an embedder, vectors are kept beside the records; a record that was put without one, or under an embedder of
 * another id, is found by its words.
 */
export class FileStore<Extraction extends boolean | object = boolean> extends EmbeddedStore<Extraction> {
  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Touches no file. */
  constructor(options: FileStoreOptions<Extraction>) {
    super(options, new FileSpace(checkFileOptions(options), options.embedder));
  }
}

class FileSpace implements RecordSpace {
  readonly durable = true;
  readonly shared = true;
  readonly #options: Required<FileOptions>;
  readonly #embedder: Embedder | undefined;

  constructor(options: Required<FileOptions>, embedder: Embedder | undefined) {
    this.#options = options;
    this.#embedder = embedder;
  }

  open(namespace: Namespace): RecordPlace {
    return new FilePlace(this.#options, namespace, this.#embedder);
  }

  async namespaces(): Promise<Namespace[]> {
    const parent = memoryFolder(this.#options.directory);
    return asMemoryError(
      (async () =>
        listFolder(parent).flatMap((name) => {
          const of = isTemporary(name) ? undefined : readHeader(join(parent, name))?.of;
          return Array.isArray(of) ? [of as Namespace] : [];
        }))(),
    );
  }
}

class FilePlace implements RecordPlace {
  readonly #view: MemoryView;
  readonly #log: Log<MemoryLine>;
  readonly #embedder: Embedder | undefined;

  constructor(options: Required<FileOptions>, namespace: Namespace, embedder: Embedder | undefined) {
    const folder = namespaceFolder(options.directory, namespace);
    this.#embedder = embedder;
    this.#view = new MemoryView(reportOnce(folder, options.onCorrupt), embedder);
    this.#log = new Log(folder, { keepsake: 'memory', version: 1, of: namespace }, this.#view, options.durability);
  }

  async read<T>(use: (table: RecordTable) => T): Promise<T> {
    return asMemoryError(this.#log.read(() => use(this.#view.current())));
  }

  async change(decide: (table: RecordTable) => readonly RecordChange[]): Promise<void> {
    const change = this.#log.change(() =>
      decide(this.#view.current()).map((one) => writeChange(one, this.#embedder?.id)),
    );
    await asMemoryError(change);
  }

  async clear(): Promise<number> {
    let count = 0;
    const removal = this.#log.remove(() => {
      count = this.#view.current().size;
    });
    await asMemoryError(removal);
    return count;
  }
}
