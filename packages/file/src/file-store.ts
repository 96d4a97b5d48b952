import { basename } from 'node:path';
import type { CompactOptions, Namespace, NamespaceInfo } from '@keepsake/core';
import {
  expectKnownFields,
  type FieldNames,
  indexedFields,
  type NamespaceList as NamespacePage,
} from '@keepsake/core/adapter';
import type { WithDefaults } from '@keepsake/internal';
import {
  EMBEDDED_STORE_OPTIONS,
  EmbeddedStore,
  type EmbeddedStoreOptions,
  type RecordChange,
  type RecordPlace,
  type RecordSpace,
  type RecordView,
} from '@keepsake/search';
import { asMemoryError } from './disk/file-errors.ts';
import { namespaceFolder, parentOf } from './disk/file-names.ts';
import { checkFileOptions, type FileOptions } from './file-options.ts';
import { NamespaceList } from './listing/namespace-list.ts';
import { forgetSaved } from './listing/saved-group.ts';
import { reportOnce } from './log/corruption.ts';
import { Log } from './log/log.ts';
import { type MemoryLine, writeChange } from './stores/memory-line.ts';
import { type Indexing, MemoryView } from './stores/memory-view.ts';

/** How to open a {@link FileStore}. */
export interface FileStoreOptions extends EmbeddedStoreOptions, FileOptions {}

const OPTIONS: FieldNames<FileStoreOptions> = {
  ...EMBEDDED_STORE_OPTIONS,
  directory: true,
  durability: true,
  fileMode: true,
  onCorrupt: true,
};

/**
 * A memory store in human-readable files that many processes on one machine can share.
 *
 * Records belong to the directory and the namespace; the name only tells an agent's stores apart. Each namespace that is used
 * has an index in memory, or of a long log in a file, from which it is read when it is needed. Every change is appended to a log under a lock; a change
 * that a crash cut short never happened. Damaged lines are left out of what is read, and reported.
 *
 * With an embedder, vectors are kept beside the records; a record that was put without one, or under an embedder of
 * another id, is found by its words.
 */
export class FileStore extends EmbeddedStore {
  declare readonly directory: string;
  readonly #space: FileSpace;

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Touches no file. */
  constructor(options: FileStoreOptions) {
    const checkedOptions = expectKnownFields(options, OPTIONS);
    const files = checkFileOptions(checkedOptions);
    const space = new FileSpace(files, indexingFor(checkedOptions));
    super(checkedOptions, space, OPTIONS);
    this.#space = space;
  }

  /**
   * Counts the folders of namespaces of which no intact line names the namespace, neither in the log nor in the lock. Reads
   * those that the list of namespaces does not have.
   */
  async unidentified(): Promise<number> {
    return asMemoryError(this.#space.unidentified());
  }
}

function indexingFor({ embedder, language, indexed }: FileStoreOptions): Indexing {
  // In whatever order they are declared, the same fields have the same index.
  const inOrder = indexedFields(indexed).toSorted((a, b) => (`${a.part}.${a.field}` < `${b.part}.${b.field}` ? -1 : 1));
  return { embedder, language, indexed: inOrder };
}

class FileSpace implements RecordSpace {
  readonly durable = true;
  readonly shared = true;
  readonly directory: string;
  readonly #options: WithDefaults<FileOptions>;
  readonly #report: ReturnType<typeof reportOnce>;
  readonly #indexing: Indexing;
  readonly #list: NamespaceList;

  constructor(options: WithDefaults<FileOptions>, indexing: Indexing) {
    this.directory = options.directory;
    this.#options = options;
    this.#report = reportOnce(options.onCorrupt);
    this.#list = new NamespaceList(options.directory, this.#report);
    this.#indexing = indexing;
  }

  open(namespace: Namespace): RecordPlace {
    const folder = namespaceFolder(this.#options.directory, namespace);
    const view = new MemoryView(this.#report(folder), this.#indexing);
    const log = new Log(folder, { keepsake: 'memory', version: 1, of: namespace }, view, this.#options);
    return new FilePlace(folder, log, view, this.#indexing);
  }

  async namespacesBelow(namespace: Namespace): Promise<Namespace[]> {
    return asMemoryError(this.#list.allBelow(namespace));
  }

  unidentified(): Promise<number> {
    return this.#list.unidentified();
  }

  async nextNamespaces(below: Namespace, page: NamespacePage): Promise<NamespaceInfo[]> {
    return asMemoryError(this.#list.next(below, page));
  }
}

class FilePlace implements RecordPlace {
  readonly #folder: string;
  readonly #view: MemoryView;
  readonly #log: Log<MemoryLine>;
  readonly #embedderId: string | undefined;

  constructor(folder: string, log: Log<MemoryLine>, view: MemoryView, { embedder }: Indexing) {
    this.#folder = folder;
    this.#log = log;
    this.#view = view;
    this.#embedderId = embedder?.id;
  }

  async read<T>(use: (table: RecordView) => T): Promise<T> {
    return asMemoryError(this.#log.read((readLine) => use(this.#view.current(readLine))));
  }

  async change(decide: (table: RecordView) => readonly RecordChange[]): Promise<void> {
    const change = this.#log.change((readLine) => {
      const lines = decide(this.#view.current(readLine)).map((one) => writeChange(one, this.#embedderId));
      return lines.length === 0 ? undefined : { lines };
    });
    await asMemoryError(change);
  }

  async clear(): Promise<number> {
    let count = 0;
    const removal = this.#log.remove((readLine) => {
      count = this.#view.current(readLine).size;
    });
    await asMemoryError(removal.then(() => forgetSaved(parentOf(this.#folder), basename(this.#folder))));
    return count;
  }

  compact({ discard }: CompactOptions): Promise<void> {
    return asMemoryError(this.#log.compact(discard));
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}
