import { adding } from './adding.ts';
import type { MemoryStoreCases } from './harness.ts';
import { identity } from './identity.ts';
import { messages } from './messages.ts';
import { searching } from './searching.ts';

/** Every promise of a memory store. */
export const memoryStoreCases: readonly MemoryStoreCases[] = [identity, searching, adding, messages];
