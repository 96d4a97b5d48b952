import { existsSync } from 'node:fs';
import type { MemoryModel } from '@keepsake/core';
import { type GenerateConfig, localDirectory, type Workspace, WorkspaceMemory } from '@keepsake/workspace';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { pathOf } from '../surroundings.ts';

/** The options of all `workspace` commands. */
export interface WorkspaceSettings {
  /** By default that of the configuration, or else `.agent`. */
  readonly workspace?: string;
  readonly sessionsDir?: string;
  readonly memoriesDir?: string;
  readonly summaryFile?: string;
  readonly memoryFile?: string;
}

/** How `workspace generate` generates: the options of the API. */
export type GenerateSettings = Omit<GenerateConfig, 'debounceMs' | 'onReport'>;

/** Opens the memory of a workspace. Only generating needs a model. Creates no directory. */
export async function openWorkspace(
  context: Context,
  settings: WorkspaceSettings,
  model?: MemoryModel,
  generate: GenerateSettings = {},
): Promise<WorkspaceMemory> {
  const { sessionsDir, memoriesDir, summaryFile, memoryFile } = settings;
  const layout = {
    ...(sessionsDir !== undefined && { sessionsDir }),
    ...(memoriesDir !== undefined && { memoriesDir }),
    ...(summaryFile !== undefined && { summaryFile }),
    ...(memoryFile !== undefined && { memoryFile }),
  };
  const workspace =
    (await configuredWorkspace(context, settings)) ?? existingDirectory(context, workspacePath(settings));
  if (model === undefined) return new WorkspaceMemory({ workspace, layout, generate: null });
  return new WorkspaceMemory({ workspace, layout, model, generate });
}

/** The directory in the options, or the default. */
export function workspacePath({ workspace = '.agent' }: WorkspaceSettings): string {
  return workspace;
}

/** The workspace of the configuration, unless the options name one. */
async function configuredWorkspace(context: Context, { workspace }: WorkspaceSettings) {
  const isConfigured = workspace === undefined && context.backend.kind === 'configuration';
  return isConfigured ? context.config.workspace() : undefined;
}

function existingDirectory({ surroundings }: Context, path: string): Workspace {
  const directory = pathOf(surroundings, path);
  if (!existsSync(directory)) throw new Failure('MISSING', `There is no directory ${path}.`, EXIT.nothing);
  return localDirectory(directory);
}
