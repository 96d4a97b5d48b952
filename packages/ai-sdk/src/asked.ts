import type { Conversation, Message } from '@keepsake/core';
import { newInput, type Prompt, toMessages } from './messages.ts';

/** The input of a model at a place of a prompt, as far as it was observed. */
interface Observed {
  readonly place: string;
  readonly messages: readonly string[];
}

/** The latest inputs of a conversation: with a question, and with results of tools only. */
interface Latest {
  readonly question?: Observed;
  readonly results?: Observed;
}

const latest = new WeakMap<Conversation, Latest>();

/**
 * The messages of a prompt that the conversation has not observed: those after the last answer of the model, without those
 * of a call that failed before, or was made again for another answer.
 */
export function newlyAsked(chat: Conversation, prompt: Prompt): Message[] {
  const { before, input } = newInput(prompt);
  if (input.length === 0) return [];
  const messages = toMessages(input);
  const known = latest.get(chat) ?? {};
  const place = JSON.stringify([prompt.indexOf(input[0] as Prompt[number]), before && toMessages([before])]);
  const asked = messages.map((message) => JSON.stringify(message));
  const earlier = [known.question, known.results].find((one) => one?.place === place)?.messages ?? [];
  const kind = messages.some(({ role }) => role === 'user') ? 'question' : 'results';
  latest.set(chat, { ...known, [kind]: { place, messages: asked } });
  const firstNew = asked.findIndex((message, index) => message !== earlier[index]);
  return firstNew === -1 ? [] : messages.slice(firstNew);
}
