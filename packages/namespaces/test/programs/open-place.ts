import type { ReachedPlace } from '../backends/backend.ts';
import { BACKENDS } from '../backends/backends.ts';

/** Opens a place of another process by its address. */
export function openPlace(backend: string, address: string): ReachedPlace {
  const { reach } = BACKENDS.find(({ name }) => name === backend) ?? {};
  if (reach === undefined) throw new Error(`No other process can reach ${backend}.`);
  return reach(address);
}
