import type { KeepsakeConfig } from '@keepsake/config';

/** Where sessions and memories are stored. */
export interface Backend {
  readonly kind: 'files' | 'sqlite' | 'configuration';
  /** The directory or file, as the options name it. */
  readonly path: string;
  readonly configuration: KeepsakeConfig;
  /** The number of logs whose damaged lines were skipped so far. */
  damagedLogs?(): number;
  /** @throws Failure if there is nothing to read, and reading would create it. */
  expectExists?(): void;
  /** Copies everything to a new directory or file, while others use it. */
  backup?(target: string): Promise<BackupResult>;
}

/** What a backup copied, as far as the backend tells. */
export interface BackupResult {
  readonly sessions?: number;
  readonly namespaces?: number;
  /** Folders that can't be copied. */
  readonly skipped?: readonly string[];
}
