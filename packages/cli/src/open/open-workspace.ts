import { existsSync } from 'node:fs';
import type { MemoryModel } from '@keepsake/core';
import { type GenerateConfig, localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';

/** The options of all `workspace` commands. */
export interface WorkspaceSettings {
  readonly workspace: string;
  readonly sessionsDir?: string;
  readonly memoriesDir?: string;
  readonly summaryFile?: string;
  readonly memoryFile?: string;
}

/** How `workspace generate` generates: the options of the API. */
export type GenerateSettings = Omit<GenerateConfig, 'debounceMs' | 'onReport'>;

/** Opens the memory of a workspace. Only generating needs a model. Creates no directory. */
export function openWorkspace(
  settings: WorkspaceSettings,
  model?: MemoryModel,
  generate: GenerateSettings = {},
): WorkspaceMemory {
  const { workspace: directory, sessionsDir, memoriesDir, summaryFile, memoryFile } = settings;
  if (!existsSync(directory)) throw new Failure('MISSING', `There is no directory ${directory}.`, EXIT.nothing);
  const layout = {
    ...(sessionsDir !== undefined && { sessionsDir }),
    ...(memoriesDir !== undefined && { memoriesDir }),
    ...(summaryFile !== undefined && { summaryFile }),
    ...(memoryFile !== undefined && { memoryFile }),
  };
  const workspace = localDirectory(directory);
  if (model === undefined) return new WorkspaceMemory({ workspace, layout, generate: null });
  return new WorkspaceMemory({ workspace, layout, model, generate });
}
