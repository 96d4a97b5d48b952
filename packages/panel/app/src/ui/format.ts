const counts = new Intl.NumberFormat('en');

export function formatCount(count: number): string {
  return counts.format(count);
}

/** `1 memory`, `2 memories`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** In the zone of the reader, always as wide: `2026-11-25 18:03`. */
export function formatTime(iso: string, seconds = false): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, seconds ? 19 : 16).replace('T', ' ');
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1_000 && unit < units.length - 1; unit++) value /= 1_000;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** Three decimals, so that the points stand below each other. */
export function formatScore(score: number): string {
  return score.toFixed(3);
}
