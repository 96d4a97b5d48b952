/** What is searched for, or found: known by its place in the list that was added. */
export interface Entry {
  readonly content: string;
  /** When it was said, as ISO 8601. */
  readonly createdAt?: string;
  readonly turn?: { readonly thread: string; readonly index: number; readonly speaker: string };
}

/** What engines are opened with. */
export interface Setting {
  /** An empty directory, or one that the same engine wrote. */
  readonly directory: string;
  /** What those that are told to leave words out leave out: lower case. */
  readonly stopWords: ReadonlySet<string>;
}

/** One way to search texts. */
export interface Engine {
  readonly name: string;
  /** What to know before reading its figures. */
  readonly note?: string;
  /** Empty. */
  open(setting: Setting): Promise<OpenEngine>;
  /** As it was saved in that directory. Missing where an engine keeps nothing. */
  reopen?(setting: Setting): Promise<OpenEngine>;
}

export interface OpenEngine {
  /** Called once, with everything that can be found. */
  add(entries: readonly Entry[]): Promise<void>;
  /** The places of what was found, best first. */
  search(query: string, limit: number): Promise<readonly number[]> | readonly number[];
  /** Writes what `reopen` reads. Missing where that is there already. */
  save?(): Promise<void>;
  /** How many bytes of files it takes beside the texts in them, where it keeps everything there. */
  fileBytesBesideTexts?(): number;
  /** Ends what it started. Missing where that is nothing. */
  close?(): Promise<void>;
}
