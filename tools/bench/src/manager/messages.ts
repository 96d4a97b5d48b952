import type { Message } from '@keepsake/core';

const WORDS = 'of late she went to the harbour and asked when that old boat would be painted green again'.split(' ');

/** A turn of a user and an assistant, together about 1 KB. Every turn is different. */
export function turn(number: number): readonly [Message, Message] {
  return [
    { role: 'user', content: said(number * 2) },
    { role: 'assistant', content: said(number * 2 + 1) },
  ];
}

/** The turns before this one and the user's question. */
export function history(number: number, messages: number): Message[] {
  const before = Array.from({ length: messages / 2 }, (_, index) => turn(index)).flat();
  return [...before, { role: 'user', content: `What about harbour ${number}, and the old green boat?` }];
}

/** Five sentences, of about 500 characters in all. */
function said(number: number): string {
  return Array.from({ length: 5 }, (_, sentence) => {
    const words = WORDS.map((_, index) => WORDS[(index * (sentence + 2) + number) % WORDS.length]);
    return `Of ${number}-${sentence}: ${words.join(' ')}.`;
  }).join(' ');
}
