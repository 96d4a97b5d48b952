import type { MemoryModel } from '@keepsake/core';
import type { Context } from '../context.ts';
import { openAiModel } from './openai-model.ts';

/** The model of the configuration, or else the one that the environment names. */
export async function openModel(context: Context): Promise<MemoryModel> {
  const configured = context.backend.kind === 'configuration' ? await context.config.model() : undefined;
  return configured ?? openAiModel(context.surroundings.env);
}
