import { ConversationMemory, type ConversationMemoryOptions } from '../../src/index.ts';
import type { Backend, Place } from '../backends/backend.ts';

/** What the cases of a backend share. */
export interface Suite {
  readonly backend: Backend;
}

/** The memory of a place, which is an empty one where none is given. */
export function openMemory(
  { backend }: Suite,
  options: Omit<ConversationMemoryOptions, 'store'> = {},
  place: Place = backend.makePlace(),
): ConversationMemory {
  return new ConversationMemory({ store: place.open(), ...options });
}
