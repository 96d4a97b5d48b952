/** What agent frameworks use of a `WorkspaceMemory` of `@keepsake/workspace`. `Tool` is the `MemoryTool` of core. */
export interface RunMemory<Tool> {
  run(names: {
    readonly conversationId?: string | undefined;
    readonly sessionId?: string | undefined;
    readonly groupId?: string | undefined;
  }): {
    readonly rolloutId: string;
    append(segment: RunSegment): Promise<void>;
    begin?(onClose: () => Promise<unknown>): () => void;
  };
  read(options: { readonly rolloutId?: string | undefined }): Promise<{ readonly instructions: string }>;
  tools(): Tool[];
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

/** What bridges do by default with a run that they could not append: its result is returned anyway. */
export function warnRunNotKept(error: unknown): void {
  console.warn('keepsake: a run could not be kept.', error);
}
