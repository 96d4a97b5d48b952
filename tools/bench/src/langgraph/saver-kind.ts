import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';

/** A way to store checkpoints. */
export interface SaverKind {
  readonly name: string;
  open(): Promise<BaseCheckpointSaver>;
}

/** Keepsake's saver on a backend, and what to compare it with there. */
export interface SaverField {
  readonly backend: string;
  readonly keepsake: SaverKind;
  readonly peers: readonly SaverKind[];
}
