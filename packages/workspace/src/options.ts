import { MemoryError, type MemoryModel } from '@keepsake/core';
import { aFunction, anything, aSwitch, checkFields, having, isRecord, text, whole } from './check-fields.ts';
import { checkLayout, type Layout } from './files/layout.ts';
import type { Workspace } from './files/workspace.ts';
import type { GenerateReport } from './generate/report.ts';

/** How a memory is generated. */
export interface GenerateConfig {
  /** How many conversations the memory rests on, the newest: 1 to 4,096, by default 256. Older ones are forgotten. */
  readonly maxRawMemoriesForConsolidation?: number | undefined;
  /** What matters in particular; appended to the prompts of both phases. */
  readonly extraPrompt?: string | undefined;
  /** How long the files of a conversation that no longer counts are kept. Default 30; 0 removes them at once. */
  readonly retainRemovedDays?: number | undefined;
  /** What one generation may spend, input and output together. What is left waits for the next. By default no limit. */
  readonly maxTokens?: number | undefined;
  /** How many answers of the model a consolidation may take. Default 24. */
  readonly maxTurns?: number | undefined;
  /** Generates also so long after the last run, while the memory is open. By default at close alone. */
  readonly debounceMs?: number | undefined;
  /** Is told what came of a generation that nobody waits for, after `debounceMs`. By default a warning where it failed. */
  readonly onReport?: ((report: GenerateReport) => void) | undefined;
}

/** How a memory is read. */
export interface ReadConfig {
  /** Whether runs may mend what is stale. Default true. */
  readonly liveUpdate?: boolean | undefined;
}

export interface WorkspaceMemoryOptions {
  readonly workspace: Workspace;
  /** Distils conversations. May be left out where `generate` is `null`. */
  readonly model?: MemoryModel | undefined;
  /** Where the memory lies in the workspace. */
  readonly layout?: Partial<Layout> | undefined;
  /** `null`: runs are given nothing. */
  readonly read?: ReadConfig | null | undefined;
  /** `null`: runs are not kept, and nothing is generated. */
  readonly generate?: GenerateConfig | null | undefined;
}

/** The options with what was not given, checked. */
export function checkOptions(options: WorkspaceMemoryOptions) {
  checkFields(options, 'the options', {
    workspace: having('read', 'write', 'append', 'list', 'delete'),
    model: having('generate'),
    layout: anything,
    read: anything,
    generate: anything,
  });
  const { workspace, model, layout, read, generate } = options;
  if (!isRecord(workspace))
    throw new MemoryError('INVALID_ARGUMENT', 'workspace is missing, such as localDirectory(".agent").');
  if (generate !== null && model === undefined) {
    throw new MemoryError('INVALID_ARGUMENT', 'model is missing. Pass one, or generate: null to read only.');
  }
  return {
    workspace,
    model,
    layout: checkLayout(layout),
    read: read === null ? undefined : checkRead(read ?? {}),
    generate: generate === null ? undefined : checkGenerate(generate ?? {}),
  };
}

function checkRead(read: ReadConfig) {
  checkFields(read, 'read', { liveUpdate: aSwitch });
  return { liveUpdate: read.liveUpdate ?? true };
}

/** A generate configuration with what was not given. */
export type CheckedGenerate = ReturnType<typeof checkGenerate>;

function checkGenerate(generate: GenerateConfig) {
  checkFields(generate, 'generate', {
    maxRawMemoriesForConsolidation: whole(1, 4_096),
    extraPrompt: text,
    retainRemovedDays: whole(0, 36_500),
    maxTokens: whole(1),
    maxTurns: whole(1, 1_000),
    debounceMs: whole(0, 2 ** 31 - 1),
    onReport: aFunction,
  });
  return {
    maxRawMemories: generate.maxRawMemoriesForConsolidation ?? 256,
    extraPrompt: generate.extraPrompt,
    retainRemovedDays: generate.retainRemovedDays ?? 30,
    maxTokens: generate.maxTokens,
    maxTurns: generate.maxTurns ?? 24,
    debounceMs: generate.debounceMs,
    onReport: generate.onReport,
  };
}
