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

  it('goes where an assistant says several of them in a sentence', () => {
    const said = ['You told me: you prefer tea, prefers aisle seats.', '- Prefers aisle seats, likes tea.'];
    expect(left(['Prefers aisle seats', 'Likes tea'], ...said.map(assistant))).toEqual([said[0], undefined]);
  });

  it('takes nothing else with it', () => {
    const entries = ['Yes', '', '!', 'Prefers aisle seats', 'The user prefers aisle seats.', 'Writes C', 'Pays 3'];
    const messages = [
      user('Prefers aisle seats'),
      assistant('Yes, I have booked seat 14A for you. It is 3.50 more'),
      assistant('The user prefers aisle seats, but only on flights that take longer than four hours.'),
      assistant('Booked seat 14C, since the user prefers aisle seats.'),
      assistant('Noted: Runa no longer prefers aisle seats.'),
      assistant('Noted: the user never prefers aisle seats.'),
      assistant('As you said, Runa prefers aisle seats.'),
      assistant('Prefers aisle seats in row 12.'),
      assistant('If the user prefers aisle seats, book now'),
      assistant('Writes C++'),
      assistant('Pays 3.50'),
      assistant('  blanks and\n\nlines  '),
      user(''),
    ];
    expect(left(entries, ...messages)).toEqual(messages.map(({ content }) => content));
  });

  it('in a format of one’s own goes from where it was put, and from nowhere else', () => {
    const recalled = new Recalled();
    recalled.add('Berlin', [{ content: 'Berlin' }]);
    const kept = [
      'I have moved from Berlin to Lisbon.',
      'Berlin',
      'Where? Berlin',
      'Where?\nBerlin',
      [{ text: 'Berlin' }],
      [{ text: 'I live in' }, { text: 'East Berlin' }],
    ];
    for (const content of kept) expect(recalled.strip({ role: 'user', content })).toEqual({ role: 'user', content });
    const put: [Message['content'], Message['content']][] = [
      ['Is it far?\n\nBerlin', 'Is it far?'],
      ['Is Berlin far?\n \nBerlin\n', 'Is Berlin far?'],
      [[{ text: 'Is it far?' }, { text: 'Berlin' }], [{ text: 'Is it far?' }]],
      [[{ text: 'Is it far?' }, { text: '\n\nBerlin' }], [{ text: 'Is it far?' }]],
    ];
    for (const [content, rest] of put) expect(recalled.strip({ role: 'user', content })?.content).toEqual(rest);
  });

  // Anything but linear takes longer than a test may.
  it('is found in a long text, whatever that is made of', () => {
    const recalled = new Recalled();
    const entries = Array.from({ length: 200 }, (_, index) => ({ content: `The user the user knows ${index}` }));
    recalled.add('x\n\ny', entries);
    for (const part of ['the user ', '.”', '. ', 'a.b', '\n ', '\n\n', 'x\n\ny']) {
      const message = assistant(`${part.repeat(1_000_000 / part.length)}!\nThe user the user knows 1.`);
      expect(JSON.stringify(recalled.strip(message))).not.toContain('knows 1');
    }
  });

  it('is forgotten, the oldest first, and never takes much room', () => {
    const recalled = new Recalled();
    for (let turn = 0; turn < 1_000; turn++)
      recalled.add(`<memory>\n${turn}</memory>`, [{ content: `Fact number ${turn}` }]);
    expect(recalled.has('fact number 999')).toBe(true);
    expect(recalled.has('fact number 0')).toBe(false);
    expect(recalled.strip(user('<memory>\n999</memory>'))).toBe(undefined);
    expect(recalled.strip(user('<memory>\n0</memory>'))).toEqual(user('<memory>\n0</memory>'));
  });
});
