import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.ts';
import { Recalled } from '../../src/manager/injection/recalled.ts';
import { assistant, user } from './support/extraction.ts';

const block = '<memory>\n<entry>Prefers aisle seats</entry>\n</memory>';

/** The contents of messages after recalled entries are stripped. */
function stripped(entries: readonly string[], ...messages: readonly Message[]): unknown[] {
  const recalled = new Recalled();
  recalled.add(
    block,
    entries.map((content) => ({ content })),
  );
  return messages.map((message) => recalled.strip(message)?.content);
}

describe('Recalled', () => {
  it('strips the injected block, wherever it is', () => {
    const texts = [{ text: 'Hi' }, { text: `${block}\n` }, { image: 'x' }];
    const messages = [
      user(`Hi\n\n${block}`),
      user(`${block} Hi ${block}`),
      user(block),
      { role: 'user', content: texts } as const,
    ];
    expect(stripped([], ...messages)).toEqual(['Hi', 'Hi', undefined, [{ text: 'Hi' }, { image: 'x' }]]);
  });

  it('strips an entry that the assistant repeats, with a few words around it', () => {
    const said = [
      'Prefers aisle seats.',
      '“PREFERS  aisle seats”!',
      'As I recall: prefers aisle seats, you said.',
      'Noted.\nPrefers aisle seats',
      'Likes tea',
      'Tea. Has a dog',
    ];
    const entries = ['Prefers aisle seats', 'Likes tea. Has a dog'];
    expect(stripped(entries, ...said.map(assistant))).toEqual([
      undefined,
      undefined,
      undefined,
      'Noted.',
      undefined,
      'Tea.',
    ]);
  });

  it('strips a sentence in which the assistant repeats several entries', () => {
    const said = ['You told me: you prefer tea, prefers aisle seats.', '- Prefers aisle seats, likes tea.'];
    expect(stripped(['Prefers aisle seats', 'Likes tea'], ...said.map(assistant))).toEqual([said[0], undefined]);
  });

  it('strips nothing else', () => {
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
    expect(stripped(entries, ...messages)).toEqual(messages.map(({ content }) => content));
  });

  it('strips text in a custom format only where it was injected', () => {
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

  // Anything slower than linear would time out.
  // A search that takes quadratic time would exceed the timeout.
  it('strips an entry from very long text of any shape', () => {
    const recalled = new Recalled();
    const entries = Array.from({ length: 200 }, (_, index) => ({ content: `The user the user knows ${index}` }));
    recalled.add('x\n\ny', entries);
    for (const part of ['the user ', '.”', '. ', 'a.b', '\n ', '\n\n', 'x\n\ny']) {
      const message = assistant(
        `${part.repeat(rounds(1_000_000, 250_000) / part.length)}!\nThe user the user knows 1.`,
      );
      expect(JSON.stringify(recalled.strip(message))).not.toContain('knows 1');
    }
  });

  it('forgets the oldest entries, so that it stays small', () => {
    const recalled = new Recalled();
    for (let turn = 0; turn < 1_000; turn++)
      recalled.add(`<memory>\n${turn}</memory>`, [{ content: `Fact number ${turn}` }]);
    expect(recalled.entryWith('fact number 999')).toEqual({ content: 'Fact number 999' });
    expect(recalled.entryWith('fact number 0')).toBe(undefined);
    expect(recalled.strip(user('<memory>\n999</memory>'))).toBe(undefined);
    expect(recalled.strip(user('<memory>\n0</memory>'))).toEqual(user('<memory>\n0</memory>'));
  });
});
