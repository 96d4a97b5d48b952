import type { MemoryError, MemoryModel } from '@keepsake/core';
import { expect, expectFields, expectWhole } from '@keepsake/core/adapter';
import { checkLayout, type Layout } from './files/layout.ts';
import type { Workspace } from './files/workspace.ts';
import type { GenerateReport } from './generate/report.ts';

/** How to generate a memory. */
export interface GenerateConfig {
  /** The number of newest conversations in the memory, 1 to 4,096. Older ones are forgotten. @default 256 */
  readonly maxRawMemoriesForConsolidation?: number | undefined;
  /** What to focus on. Appended to the prompts of both phases. */
  readonly extraPrompt?: string | undefined;
  /** How many days to keep the files of a conversation that is no longer selected; 0 removes them at once. @default 30 */
  readonly retainRemovedDays?: number | undefined;
  /**
   * The token budget of one generation, input and output together. The rest waits for the next generation. @default No
   * limit.
   */
  readonly maxTokens?: number | undefined;
  /** The maximum number of model answers in a consolidation. @default 24 */
  readonly maxTurns?: number | undefined;
  /**
   * The token budget of one consolidation, input and output together. If it is used up, the memory stays as it was.
   *
   * @default 500_000
   */
  readonly maxConsolidationTokens?: number | undefined;
  /**
   * The maximum length of a prompt, at least 4,000 tokens. Longer transcripts are cut in the middle, and consolidation shows
   * less at once. Lower it for models with a small context window.
   *
   * @default 150_000
   */
  readonly maxPromptTokens?: number | undefined;
  /**
   * The deadline of a model call in milliseconds. After a call without an answer, the rest waits for the next generation.
   *
   * @default 120_000
   */
  readonly modelTimeoutMs?: number | undefined;
  /** Also generates this long after the last run, while the memory is open. @default Only on close. */
  readonly debounceMs?: number | undefined;
  /** Called after a background generation (see `debounceMs`). @default A warning on the console if it failed. */
  readonly onReport?: ((report: GenerateReport) => void) | undefined;
}

/** How to read a memory. */
export interface ReadConfig {
  /** Whether runs may correct stale entries. @default true */
  readonly liveUpdate?: boolean | undefined;
  /**
   * Called if the memory can't be read, for example because a file is damaged. The run goes on without it.
   *
   * @default A warning on the console.
   */
  readonly onError?: ((error: MemoryError) => void) | undefined;
}

export interface WorkspaceMemoryOptions {
  readonly workspace: Workspace;
  /** Distils conversations. Not needed if `generate` is `null`. */
  readonly model?: MemoryModel | undefined;
  /** The paths of the memory in the workspace. */
  readonly layout?: Partial<Layout> | undefined;
  /** `null` if runs don't read the memory. */
  readonly read?: ReadConfig | null | undefined;
  /** `null` to store no runs and generate nothing. */
  readonly generate?: GenerateConfig | null | undefined;
}

/** Checks the options and fills in defaults. */
export function checkOptions(options: WorkspaceMemoryOptions) {
  const fields = expectFields(options, '', {
    workspace: ['read', 'write', 'append', 'list', 'delete'],
    model: ['generate'],
    layout: 'anything',
    read: 'anything',
    generate: 'anything',
  });
  const { workspace, model, layout, read, generate } = fields;
  expect(workspace, '`workspace` is missing. Pass one, such as localDirectory(".agent").');
  expect(generate === null || model, '`model` is missing. Pass one, or `generate: null` to only read.');
  return {
    workspace,
    model,
    layout: checkLayout(layout),
    read: read === null ? undefined : checkRead(read ?? {}),
    generate: generate === null ? undefined : checkGenerate(generate ?? {}),
  };
}

/** A read configuration with defaults. */
export type CheckedRead = ReturnType<typeof checkRead>;

function checkRead(read: ReadConfig) {
  const fields = expectFields(read, 'read', { liveUpdate: 'boolean', onError: 'function' });
  return { liveUpdate: fields.liveUpdate ?? true, onError: fields.onError ?? warnUnread };
}

function warnUnread(error: MemoryError): void {
  console.warn(`keepsake: the memory can't be read, and the run goes on without it. ${error.message}`);
}

/** A generate configuration with defaults. */
export type CheckedGenerate = ReturnType<typeof checkGenerate>;

function checkGenerate(config: GenerateConfig) {
  const generate = expectFields(config, 'generate', {
    maxRawMemoriesForConsolidation: 4_096,
    extraPrompt: 'string',
    retainRemovedDays: 'anything',
    maxTokens: 'whole',
    maxTurns: 1_000,
    maxConsolidationTokens: 'whole',
    maxPromptTokens: 'anything',
    modelTimeoutMs: 2 ** 31 - 1,
    debounceMs: 'anything',
    onReport: 'function',
  });
  const { retainRemovedDays = 30, maxPromptTokens = 150_000, debounceMs } = generate;
  expectWhole(retainRemovedDays, '`generate.retainRemovedDays`', 0, 36_500);
  expectWhole(maxPromptTokens, '`generate.maxPromptTokens`', 4_000, 10_000_000);
  if (debounceMs !== undefined) expectWhole(debounceMs, '`generate.debounceMs`', 0, 2 ** 31 - 1);
  return {
    maxRawMemories: generate.maxRawMemoriesForConsolidation ?? 256,
    extraPrompt: generate.extraPrompt,
    retainRemovedDays,
    maxTokens: generate.maxTokens,
    maxTurns: generate.maxTurns ?? 24,
    maxConsolidationTokens: generate.maxConsolidationTokens ?? 500_000,
    maxPromptTokens,
    modelTimeoutMs: generate.modelTimeoutMs ?? 120_000,
    debounceMs,
    onReport: generate.onReport,
  };
}
