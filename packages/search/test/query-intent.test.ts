import { describe, expect, it } from 'vitest';
import {
  asksForFact,
  asksForPresent,
  asksInPresentTense,
  asksTheAssistant,
  asksWhen,
} from '../src/ranking/query-intent.ts';

describe('asksWhen', () => {
  it.each([
    'When did he go?',
    ' when is it',
    'What year was it?',
    'Which month',
    'How long ago was it?',
    'Since when?',
  ])('is true for %j', (query) => expect(asksWhen(query)).toBe(true));

  it.each(['What did he do when it rained?', 'Whenever', 'What daylight', 'How far?', ''])('is false for %j', (query) =>
    expect(asksWhen(query)).toBe(false),
  );
});

describe('asksForPresent', () => {
  it.each(['Where does she live now?', 'my current address', 'What is the latest plan?', 'Does he still smoke?'])(
    'is true for %j',
    (query) => expect(asksForPresent(query)).toBe(true),
  );

  it.each(['Where did she live in May?', 'What do you know?', 'snowy currents', ''])('is false for %j', (query) =>
    expect(asksForPresent(query)).toBe(false),
  );
});

describe('asksInPresentTense', () => {
  it.each(['Where do I work?', 'Is she vegan?', "what's my rent", 'Which car does he drive?'])(
    'is true for %j',
    (query) => expect(asksInPresentTense(query)).toBe(true),
  );

  it.each([
    'Where did I work?',
    'What was my rent?',
    'What does he owe from 2021?',
    'What is he used to?',
    'my rent',
    '',
  ])('is false for %j', (query) => expect(asksInPresentTense(query)).toBe(false));
});

describe('asksForFact', () => {
  it.each(['When is the meeting?', 'which database did we pick?', 'Do we use an ORM?'])('is true for %j', (query) =>
    expect(asksForFact(query)).toBe(true),
  );

  it.each([
    'How do I deploy it?',
    'What should I cook?',
    'Which film do you recommend?',
    'What are good snacks?',
    'Write a login form',
    'recipes',
    '',
  ])('is false for %j', (query) => expect(asksForFact(query)).toBe(false));
});

describe('asksTheAssistant', () => {
  it.each([
    'What did you recommend for moths?',
    'the book that you suggested',
    'Repeat your advice',
    'What have you said?',
  ])('is true for %j', (query) => expect(asksTheAssistant(query)).toBe(true));

  it.each(['What did I recommend?', 'Can you help me?', 'What would you do?', ''])('is false for %j', (query) =>
    expect(asksTheAssistant(query)).toBe(false),
  );
});
