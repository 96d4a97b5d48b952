import { BACKENDS } from '../backends/backends.ts';

/** Opens a place that another process created. */
export function openPlace(backend = '', address = '') {
  const place = BACKENDS.find(({ name }) => name === backend)?.reach?.(address);
  if (place === undefined) throw new Error(`No other process can open ${backend}.`);
  return place;
}
