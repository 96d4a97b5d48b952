/** A searchable entry. Its index in the added list identifies it. */
export interface Entry {
  readonly content: string;
  /** The time, as ISO 8601. */
  readonly createdAt?: string;
  readonly turn?: { readonly thread: string; readonly index: number; readonly speaker: string };
}

/** The options of an engine. */
export interface Setting {
  /** An empty directory, or one that the same engine wrote. */
  readonly directory: string;
  /** The stop words for engines that accept them, in lower case. */
  readonly stopWords: ReadonlySet<string>;
}

/** A search engine. */
export interface Engine {
  readonly name: string;
  /** A note that explains its figures. */
  readonly note?: string;
  /** Opens an empty engine. */
  open(setting: Setting): Promise<OpenEngine>;
  /** Reopens the engine saved in that directory. Missing if an engine stores nothing. */
  reopen?(setting: Setting): Promise<OpenEngine>;
}

export interface OpenEngine {
  /** Called once with all entries. */
  add(entries: readonly Entry[]): Promise<void>;
  /** The indexes of the results, best first. */
  search(query: string, limit: number): Promise<readonly number[]> | readonly number[];
  /** Writes what `reopen` reads. Missing if it exists already. */
  save?(): Promise<void>;
  /** The bytes of files besides the texts in them, for engines that store everything in files. */
  fileBytesBesideTexts?(): number;
  /** Stops what it started. Missing if there is nothing to stop. */
  close?(): Promise<void>;
}
