import { looksRandom } from './harmless-values.ts';

/** What models and search engines tell about a piece of text: its probability, its bytes, its place. */
const MEASURES = '(?:top_?)?log_?probs?|prob(?:ability)?|bytes|score|rank|position|index|(?:start|end)(?:_?offset)?';
const MEASURE = /* @__PURE__ */ new RegExp(`^(?:${MEASURES})$`, 'i');
const MEASURE_AFTER = /* @__PURE__ */ new RegExp(
  `\\\\{0,8}["']\\s{0,20},\\s{0,20}\\\\{0,8}["']?(?:${MEASURES})\\\\{0,8}["']?\\s?[:=]`,
  'iy',
);
const MEASURE_BEFORE = /* @__PURE__ */ new RegExp(
  `(?:${MEASURES})\\\\{0,8}["']?\\s?[:=]\\s{0,4}-?[\\d.e-]{1,30}\\s{0,20},\\s{0,20}\\\\{0,8}["']?$`,
  'i',
);

/** Whether `token` is a piece of text rather than a secret: `{ token: "Hello", logprob: -0.1 }`. */
export function isTextToken(name: string, value: unknown, owner: object): boolean {
  if (name !== 'token' || typeof value !== 'string' || looksRandom(value)) return false;
  return Object.keys(owner).some((other) => MEASURE.test(other));
}

/** The same in a text, for the places of the name and of the end of the value. */
export function isTextTokenAt(text: string, name: number, end: number): boolean {
  MEASURE_AFTER.lastIndex = end;
  return MEASURE_AFTER.test(text) || MEASURE_BEFORE.test(text.slice(Math.max(0, name - 80), name));
}
