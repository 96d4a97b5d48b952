/**
 * JSON for a model, which parses to the same value: brackets of markup and characters that hide text or turn its direction
 * are escaped, so that no string can pose as what surrounds the JSON.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[<>\u007f-\u009f]|[\p{Cf}\p{DI}\u2028\u2029]/gu, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
