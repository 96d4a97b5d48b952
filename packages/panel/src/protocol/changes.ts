// POST record/edit, record/bury, record/restore, record/delete. All answer 409 CONFLICT if the record changed meanwhile.

export interface RecordRef {
  readonly namespace: string;
  readonly id: string;
  readonly ifVersion: number;
}

/** Answers `RecordDetail`. */
export interface EditRecord extends RecordRef {
  readonly content: string;
  /** @default unchanged */
  readonly metadata?: { readonly [field: string]: unknown };
  /**
   * Keeps the version before and gives the new text a new id, which needs `can.keepVersions`. Without it, the text is replaced
   * under the same id. Programs that read a memory by its id, such as those with keys, need the same id.
   *
   * @default false
   */
  readonly keepVersion?: boolean;
}

/** Answers `RecordDetail`. `buried: false` digs it up. */
export interface BuryRecord extends RecordRef {
  readonly buried: boolean;
}

/** Undo: the text and metadata of an earlier version hold again, as a new version. Answers `RecordDetail`. */
export interface RestoreRecord extends RecordRef {
  /** The id of one of `versions`. */
  readonly versionId: string;
}

/** Removes it with all versions. Answers `{ deleted: boolean }`. */
export interface DeleteRecord extends RecordRef {}
export interface DeletedRecord {
  readonly deleted: boolean;
}
