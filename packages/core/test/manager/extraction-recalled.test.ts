import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.ts';
import { Recalled } from '../../src/manager/recalled.ts';
import { assistant, user } from './support/extraction.ts';

const block = '<memory>\n<entry>Prefers aisle seats</entry>\n</memory>';

/** What is left of messages after a conversation was reminded of entries. */
function left(entries: readonly string[], ...messages: readonly Message[]): unknown[] {
  const recalled = new Recalled();
  recalled.add(
    block,
    entries.map((content) => ({ content })),
  );
  return messages.map((message) => recalled.strip(message)?.content);
}

describe('what a conversation was reminded of', () => {
  it('goes, wherever it stands', () => {
    const texts = [{ text: 'Hi' }, { text: `${block}\n` }, { image: 'x' }];
    const messages = [
      user(`Hi\n\n${block}`),
      user(`${block} Hi ${block}`),
      user(block),
      { role: 'user', content: texts } as const,
    ];
    expect(left([], ...messages)).toEqual(['Hi', 'Hi', undefined, [{ text: 'Hi' }, { image: 'x' }]]);
  });

  it('goes where an assistant says it again, with a few words around it', () => {
    const said = [
      'Prefers aisle seats.',
      '“PREFERS  aisle seats”!',
      'As I recall: prefers aisle seats, you said.',
      'Noted.\nPrefers aisle seats',
      'Likes tea',
      'Tea. Has a dog',
    ];
    const entries = ['Prefers aisle seats', 'Likes tea. Has a dog'];
    expect(left(entries, ...said.map(assistant))).toEqual([
      undefined,
      undefined,
      undefined,
      'Noted.',
      undefined,
      'Tea.',
    ]);
  });

  it('takes nothing else with it', () => {
    const entries = ['Yes', '', '!', 'Prefers aisle seats', 'Writes C'];
    const messages = [
      user('Prefers aisle seats'),
      assistant('Yes, I have booked seat 14A for you. It is 3.50 more'),
      assistant('The user prefers aisle seats, but only on flights that take longer than four hours.'),
      assistant('Writes C++'),
      assistant('  blanks and\n\nlines  '),
      user(''),
    ];
    expect(left(entries, ...messages)).toEqual(messages.map(({ content }) => content));
  });

  it('is forgotten, the oldest first, and never takes much room', () => {
    const recalled = new Recalled();
    for (let turn = 0; turn < 1_000; turn++)
      recalled.add(`<memory>${turn}</memory>`, [{ content: `Fact number ${turn}` }]);
    expect(recalled.has('fact number 999')).toBe(true);
    expect(recalled.has('fact number 0')).toBe(false);
    expect(recalled.strip(user('<memory>999</memory>'))).toBe(undefined);
    expect(recalled.strip(user('<memory>0</memory>'))).toEqual(user('<memory>0</memory>'));
  });
});
