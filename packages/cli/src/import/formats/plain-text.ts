import { brokenInput } from '../broken-input.ts';

/** A value as text. Refuses objects and lists, which have none. */
export function plainText(value: unknown, place: string): string {
  if (typeof value === 'object' && value !== null) throw brokenInput(`${place} is an object, not a text.`);
  return String(value);
}
