import { analyse } from '@keepsake/search';

/** A vector of length 1 that counts the words of a text, so that texts with common words are close. */
export function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  // The first component gives a text without words a direction.
  vector[0] = 0.01;
  for (const word of analyse(text)) {
    const place = hash(word) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** FNV-1a. */
function hash(word: string): number {
  let value = 2166136261;
  for (let at = 0; at < word.length; at++) value = Math.imul(value ^ word.charCodeAt(at), 16777619);
  return value >>> 0;
}
