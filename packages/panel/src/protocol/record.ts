import type { RecordRow } from './records.ts';

// GET record?namespace=&id=

export interface RecordDetail extends RecordRow {
  readonly version: number;
  /** How many times it was put: what the version counts. */
  readonly puts: number;
  readonly metadata: { readonly [field: string]: unknown };
  readonly source?: { conversation?: string; run?: string; speaker?: string; kind?: string };
  readonly turn?: { thread: string; index: number; speaker?: string };
  readonly supersedes?: string;
  readonly supersededBy?: string;
  readonly validFrom?: string;
  /** All versions, oldest first, this one included; `[]` where the backend keeps none. At most 100. */
  readonly versions: readonly RecordRow[];
  /** The utterances around it in its conversation, in order, this one included; `[]` without a `turn`. */
  readonly neighbours: readonly (RecordRow & { readonly index: number })[];
  readonly can: {
    /** `false` for a read-only panel or store, and for a closed record. */
    readonly edit: boolean;
    /** Whether an edit can keep the version before, so that it can be undone. */
    readonly keepVersions: boolean;
    readonly delete: boolean;
  };
}

// GET record/text?namespace=&id=&offset= answers TextPiece.
