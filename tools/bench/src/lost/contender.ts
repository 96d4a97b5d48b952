/** A memory that several processes write to at the same moment. */
export interface Contender {
  readonly name: string;
  /** What is special about it, for the table. */
  readonly note?: string;
  /** Whether other processes see what was written. Otherwise one process does all writes. */
  readonly isShared: boolean;
  readonly isPeer: boolean;
  open(directory: string): Promise<OpenContender>;
}

export interface OpenContender {
  /** Writes a text. Resolves when it is acknowledged. */
  write(text: string): Promise<unknown>;
  /** Everything that is stored, as one text. */
  read(): Promise<string>;
  close?(): Promise<void>;
}
