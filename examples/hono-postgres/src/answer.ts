import { type Message, messageText } from '@keepsake/core';

/** Stands for your model: it shows what it gets to read, the conversation so far with what is known of the user. */
export async function answer(messages: readonly Message[]): Promise<string> {
  return `I read: ${messages.map(messageText).join(' | ')}`;
}
