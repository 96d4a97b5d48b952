import type { Fields } from './fields.ts';

/* https://ai.google.dev/api/caching#Content and https://ai.google.dev/gemini-api/docs/function-calling */

/** A turn of a conversation with Gemini. */
export interface GeminiTurn {
  readonly role: string;
  readonly parts: readonly Fields[];
}

/** Why Gemini refuses the contents of a conversation; `undefined` if it accepts them. */
export function geminiInputFault(contents: readonly GeminiTurn[]): string | undefined {
  const kinds = contents.map(kindOf);
  if (kinds.length > 0 && kinds[0] !== 'user') return 'Please ensure that multiturn requests start with a user turn.';
  for (const [index, { parts }] of contents.entries()) {
    const [kind, before, after] = [kinds[index], kinds[index - 1], kinds[index + 1]];
    if (parts.length === 0) return `contents[${index}].parts: must include at least one part.`;
    if (parts.some(({ text }) => text === '')) return `contents[${index}].parts: has an empty text parameter.`;
    if (kind === 'call' && before !== 'user' && before !== 'response')
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    if (kind === 'response' && before !== 'call')
      return 'Please ensure that function response turn comes immediately after a function call turn.';
    const answers = after === 'response' ? countOf(contents[index + 1], 'functionResponse') : 0;
    if (kind === 'call' && countOf(contents[index], 'functionCall') !== answers)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    if (kind === before || (kind === 'model' && before === 'call'))
      return 'Please ensure that multiturn requests alternate between user and model.';
  }
  return undefined;
}

function kindOf(turn: GeminiTurn): 'user' | 'model' | 'call' | 'response' {
  if (turn.role === 'model') return countOf(turn, 'functionCall') > 0 ? 'call' : 'model';
  return countOf(turn, 'functionResponse') > 0 ? 'response' : 'user';
}

function countOf(turn: GeminiTurn | undefined, name: 'functionCall' | 'functionResponse'): number {
  return turn?.parts.filter((part) => part[name] !== undefined).length ?? 0;
}
