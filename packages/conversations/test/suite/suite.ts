import { ConversationMemory, type ConversationMemoryOptions } from '../../src/index.ts';
import type { Backend, Place } from '../backends/backend.ts';

/** The parameters of all cases. */
export interface Suite {
  readonly backend: Backend;
}

/** The memory of a place, by default of a new, empty one. */
export function openMemory(
  { backend }: Suite,
  options: Omit<ConversationMemoryOptions, 'store'> = {},
  place: Place = backend.makePlace(),
): ConversationMemory {
  return new ConversationMemory({ store: place.open(), ...options });
}
