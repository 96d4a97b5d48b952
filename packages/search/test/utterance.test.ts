import { describe, expect, it } from 'vitest';
import { asksWhen, isQuestion, speaksOfTime } from '../src/utterance.ts';

describe('isQuestion', () => {
  it.each([
    'Where is it?',
    'Where? Here? ',
    '"Where is it?"',
    '(really?)',
    'どこですか？',
    'Nice! Yours? [shares a photo: a dog]',
  ])('%j', (text) => expect(isQuestion(text)).toBe(true));

  it.each(['Here.', 'Where? Here.', '', '   ', '?!', '[what?]', ']', ') ) )', 'Here. [shares a photo: a dog?]'])(
    'not %j',
    (text) => expect(isQuestion(text)).toBe(false),
  );

  it('is asked of the longest texts', () => {
    for (const text of ['?[', ') ', ']', '"']) expect(isQuestion(text.repeat(500_000))).toBe(false);
  });
});

describe('speaksOfTime', () => {
  it.each(['I went there yesterday', 'LAST week', 'two years ago', 'in 2019', 'on Friday'])('%j', (text) =>
    expect(speaksOfTime(text)).toBe(true),
  );

  it.each(['I went there', 'the lasting peace', 'agony', '12 apples', ''])('not %j', (text) =>
    expect(speaksOfTime(text)).toBe(false),
  );
});

describe('asksWhen', () => {
  it.each([
    'When did he go?',
    ' when is it',
    'What year was it?',
    'Which month',
    'How long ago was it?',
    'Since when?',
  ])('%j', (query) => expect(asksWhen(query)).toBe(true));

  it.each(['What did he do when it rained?', 'Whenever', 'What daylight', 'How far?', ''])('not %j', (query) =>
    expect(asksWhen(query)).toBe(false),
  );
});
