import type { MemoryTool } from '@keepsake/core';

/** What is used of a `WorkspaceMemory` of `@keepsake/workspace`. */
export interface RunMemory {
  run(names: {
    readonly conversationId?: string | undefined;
    readonly sessionId?: string | undefined;
    readonly groupId?: string | undefined;
  }): { readonly rolloutId: string; append(segment: RunSegment): Promise<void> };
  read(options: { readonly rolloutId?: string | undefined }): Promise<{ readonly instructions: string }>;
  tools(): MemoryTool[];
}

/** What a run has added to its conversation. */
export interface RunSegment {
  readonly input: readonly unknown[];
  readonly generatedItems: readonly unknown[];
  readonly interruptions?: readonly unknown[] | undefined;
  readonly terminal: {
    readonly state: 'completed' | 'interrupted' | 'cancelled' | 'failed' | 'max_turns_exceeded' | 'guardrail_tripped';
    readonly exceptionType?: string | undefined;
    readonly exceptionMessage?: string | undefined;
    readonly hasFinalOutput: boolean;
  };
  readonly finalOutput?: unknown;
}
