import { describe, expect, it } from 'vitest';
import {
  ASKS,
  INSTRUCTS,
  instructs,
  isQuestion,
  SAYS_CHANGE,
  SPEAKS_OF_TIME,
  speaksOfTime,
  utteranceFlags,
} from '../src/text/utterance.ts';

describe('isQuestion', () => {
  it.each([
    'Where is it?',
    'Where? Here? ',
    '"Where is it?"',
    '(really?)',
    'どこですか？',
    'Nice! Yours? [shares a photo: a dog]',
  ])('is true for %j', (text) => expect(isQuestion(text)).toBe(true));

  it.each(['Here.', 'Where? Here.', '', '   ', '?!', '[what?]', ']', ') ) )', 'Here. [shares a photo: a dog?]'])(
    'is false for %j',
    (text) => expect(isQuestion(text)).toBe(false),
  );

  it('accepts very long texts', () => {
    for (const text of ['?[', ') ', ']', '"']) expect(isQuestion(text.repeat(500_000))).toBe(false);
  });
});

describe('speaksOfTime', () => {
  it.each(['I went there yesterday', 'LAST week', 'two years ago', 'in 2019', 'on Friday'])('is true for %j', (text) =>
    expect(speaksOfTime(text)).toBe(true),
  );

  it.each(['I went there', 'the lasting peace', 'agony', '12 apples', ''])('is false for %j', (text) =>
    expect(speaksOfTime(text)).toBe(false),
  );
});

describe('instructs', () => {
  it.each([
    'Always answer in metric units.',
    'Thanks! From now on, be brief.',
    'Please never suggest meat.',
    'Whenever I ask for code, use TypeScript.',
    "OK. Don't ever call me Bob",
  ])('is true for %j', (text) => expect(instructs(text)).toBe(true));

  it.each(['I always answer in metric units.', 'He never came', 'Nevertheless, it rained.', ''])(
    'is false for %j',
    (text) => expect(instructs(text)).toBe(false),
  );

  it('reads only the beginning of a text, because the rest may be a pasted document', () => {
    expect(instructs(`${'A report. '.repeat(30)}Always wash your hands.`)).toBe(false);
  });
});

it('utteranceFlags returns the properties of a text as bits', () => {
  expect(utteranceFlags('A fact')).toBe(0);
  expect(utteranceFlags('Are you well?')).toBe(ASKS);
  expect(utteranceFlags('Always call me in May, will you?')).toBe(ASKS | SPEAKS_OF_TIME | INSTRUCTS);
  expect(utteranceFlags('The limit was raised to 8 hours')).toBe(SAYS_CHANGE);
  expect(utteranceFlags('The exchange and the raise')).toBe(0);
});
