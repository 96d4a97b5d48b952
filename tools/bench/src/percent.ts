import type { Estimate } from './bootstrap.ts';

/** Formats a share from 0 to 1 in percent. */
export function percent(part: number): string {
  const text = (part * 100).toFixed(1);
  return text === '-0.0' ? '0.0' : text;
}

/** Formats an estimate with its interval in percent. */
export function estimatedPercent({ mean, low, high }: Estimate): string {
  return `${percent(mean)} (${percent(low)}–${percent(high)})`;
}
