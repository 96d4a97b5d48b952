import { existsSync } from 'node:fs';
import type { MemoryModel } from '@keepsake/core';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { EXIT } from './exit-codes.ts';
import { Failure } from './failure.ts';

/** The options of every command of `workspace`. */
export interface WorkspaceSettings {
  readonly workspace: string;
  readonly sessionsDir?: string;
  readonly memoriesDir?: string;
  readonly summaryFile?: string;
  readonly memoryFile?: string;
}

/** The memory in a workspace: to be read, or with a model to be generated. Makes no directory. */
export function openWorkspace(settings: WorkspaceSettings, model?: MemoryModel, maxTokens?: number): WorkspaceMemory {
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
  return new WorkspaceMemory({ workspace, layout, model, generate: { maxTokens } });
}
