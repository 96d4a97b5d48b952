import { ConversationMemory, type ConversationMemoryOptions } from '../../src/index.ts';
import type { Backend, Place } from '../backends/backend.ts';

/** The parameters of all cases. */
export interface Suite {
  readonly backend: Backend;
  /** Whether this is the one backend on which all cases with processes run by day. */
  readonly hasProcesses: boolean;
}

/** The options of cases that no backend can change, such as what is sent to a model. */
export function independent({ backend }: Suite): { readonly tags?: 'nightly'[] } {
  return backend.partByDay ? { tags: ['nightly'] } : {};
}

/** The options of cases that start processes, which takes long. */
export function inProcesses({ hasProcesses }: Suite): { readonly tags?: 'nightly'[] } {
  return hasProcesses ? {} : { tags: ['nightly'] };
}

/** The memory of a place, by default of a new, empty one. */
export function openMemory(
  { backend }: Suite,
  options: Omit<ConversationMemoryOptions, 'store'> = {},
  place: Place = backend.makePlace(),
): ConversationMemory {
  return new ConversationMemory({ store: place.open(), ...options });
}
