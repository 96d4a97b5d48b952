import type { ScaleBackend } from '../backend.ts';
import { file, inMemory } from './embedded.ts';

/** By the name that `--only` takes. */
export const BACKENDS: Readonly<Record<string, ScaleBackend>> = { 'in-memory': inMemory, file };
