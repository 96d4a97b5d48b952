import type { Backend } from '../backends/backend.ts';

/** Opens a place that another process created. Loads only its backend. */
export async function openPlace(name = '', address = '') {
  const backends = (await import(`../backends/${name}.ts`)) as Readonly<Record<string, Backend>>;
  const place = backends[name]?.reach?.(address);
  if (place === undefined) throw new Error(`No other process can open ${name}.`);
  return place;
}
