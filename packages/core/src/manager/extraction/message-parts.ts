import { type Message, messageText } from '../../model/message.ts';
import { sentencesOf } from '../injection/sentences.ts';

/** The maximum length of a part. */
const PART_CHARACTERS = 20_000;
/** The maximum length of the messages in a prompt. */
export const PROMPT_CHARACTERS = 40_000;

/** A message, or a part of a long one. */
export interface MessagePart {
  readonly message: Message;
  readonly text: string;
  /** Its number, from 1, and the number of parts. */
  readonly part: readonly [number: number, of: number];
}

/** The parts of messages in order, by prompt. A long message is split after a sentence or line if it has any. */
export function partsByPrompt(messages: readonly Message[]): readonly (readonly MessagePart[])[] {
  const prompts: MessagePart[][] = [[]];
  let characters = 0;
  for (const message of messages) {
    const texts = partsOf(messageText(message));
    for (const [index, text] of texts.entries()) {
      characters += text.length;
      if (characters > PROMPT_CHARACTERS && prompts.at(-1)?.length !== 0) {
        prompts.push([]);
        characters = text.length;
      }
      prompts.at(-1)?.push({ message, text, part: [index + 1, texts.length] });
    }
  }
  return prompts;
}

function partsOf(text: string): string[] {
  const parts = [''];
  if (text.length <= PART_CHARACTERS) return [text];
  for (const piece of sentencesOf(text).flatMap(pieces)) {
    const last = parts.at(-1) as string;
    if (last.length + piece.length <= PART_CHARACTERS) parts[parts.length - 1] = last + piece;
    else parts.push(piece);
  }
  return parts;
}

/** The pieces of a sentence that is too long. With the flag `u`, no surrogate pair is parted. */
function pieces(sentence: string): readonly string[] {
  return sentence.length <= PART_CHARACTERS ? [sentence] : (sentence.match(/.{1,10000}/gsu) ?? []);
}
