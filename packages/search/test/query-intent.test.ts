import { describe, expect, it } from 'vitest';
import { asksForPresent, asksTheAssistant, asksWhen } from '../src/query-intent.ts';

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

describe('asksForPresent', () => {
  it.each(['Where does she live now?', 'my current address', 'What is the latest plan?', 'Does he still smoke?'])(
    '%j',
    (query) => expect(asksForPresent(query)).toBe(true),
  );

  it.each(['Where did she live in May?', 'What do you know?', 'snowy currents', ''])('not %j', (query) =>
    expect(asksForPresent(query)).toBe(false),
  );
});

describe('asksTheAssistant', () => {
  it.each([
    'What did you recommend for moths?',
    'the book that you suggested',
    'Repeat your advice',
    'What have you said?',
  ])('%j', (query) => expect(asksTheAssistant(query)).toBe(true));

  it.each(['What did I recommend?', 'Can you help me?', 'What would you do?', ''])('not %j', (query) =>
    expect(asksTheAssistant(query)).toBe(false),
  );
});
