import { digestOf } from '../formats/utterance.ts';

/** The id of the session of a conversation: readable if the conversation has an id that is fit for it. */
export function sessionId(source: string, conversation: string): string {
  return `${source}-${/^[\w.:-]{1,200}$/.test(conversation) ? conversation : digestOf(conversation)}`;
}
