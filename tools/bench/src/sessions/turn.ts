import type { JsonObject } from '@keepsake/core';

/** The message of a user and the answer of an assistant: two items, together about 1 KB of JSON. */
export interface Turn {
  readonly items: JsonObject[];
}

const WORDS =
  'the a of and to in that it was for on is with we she they at by from her his had not are but this which you one would all when there who will more out so what up if about than them can only other new some time could these two may then do first any my now such like our over me even most made after also did many before must through years where much way well down should because each just state those people too how little good world make very year still see own work long here get both between life being under never day same another know while last might great old come since against go right came used take three'.split(
    ' ',
  );

/** A turn with its number in the text; the same for the same number. */
export function turn(number: number): Turn {
  const question = text(`Question ${number}:`, 2 * number, 52);
  const answer = text(`Answer ${number}:`, 2 * number + 1, 82);
  const user: JsonObject = { type: 'message', role: 'user', content: question };
  const assistant: JsonObject = {
    id: `msg_${String(number).padStart(24, '0')}`,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: answer, providerData: { annotations: [], logprobs: null } }],
  };
  // Through JSON, because concatenated strings are slow to read the first time.
  return JSON.parse(JSON.stringify({ items: [user, assistant] })) as Turn;
}

/** Turns in order, from number 0. */
export function turns(count: number, from = 0): Turn[] {
  return Array.from({ length: count }, (_, index) => turn(from + index));
}

/** In order, a thousand at a time, for kinds that accept no more at once. */
export function inPieces(turns: readonly Turn[]): (readonly Turn[])[] {
  return Array.from({ length: Math.ceil(turns.length / 1_000) }, (_, index) =>
    turns.slice(1_000 * index, 1_000 * (index + 1)),
  );
}

/** The text of an item. */
export function textOf(item: object): string {
  const { content } = item as { content: string | readonly { readonly text: string }[] };
  return typeof content === 'string' ? content : String(content[0]?.text);
}

function text(start: string, seed: number, words: number): string {
  let state = (seed + 1) * 2_654_435_761;
  let result = start;
  for (let count = 1; count <= words; count++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    result += ` ${WORDS[(state >>> 8) % WORDS.length]}`;
    if (count % 13 === 0) result += state % 7 === 0 ? '.\n' : ',';
  }
  return `${result}.`;
}
