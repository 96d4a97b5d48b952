import type { ShownText, TextPiece } from './api.ts';

// GET workspace

export interface WorkspaceView {
  /** What the next run reads. */
  readonly instructions: ShownText;
  readonly files: readonly WorkspaceFileRow[];
  readonly rollouts: readonly RolloutRow[];
}

interface WorkspaceFileRow {
  readonly path: string;
}

interface RolloutRow {
  readonly rolloutId: string;
  readonly status: string;
  readonly updatedAt?: string;
  /** The path of its summary in the workspace. */
  readonly summaryPath?: string;
  /** Why nothing could be learned from it. */
  readonly error?: ShownText;
}

// GET workspace/file?path=&offset=

export interface WorkspaceFileView extends TextPiece {
  readonly path: string;
  /** The blocks of this piece of a Markdown file: bullets with the rollouts that they rest on. Missing for other files. */
  readonly blocks?: readonly {
    readonly kind: 'heading' | 'bullet' | 'other';
    readonly text: string;
    readonly rollouts: readonly string[];
  }[];
}
