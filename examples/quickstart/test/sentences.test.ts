import { describe, expect, it } from 'vitest';
import { questionsIn, statementsIn } from '../src/sentences.ts';

describe('sentences', () => {
  it.each([
    'Where do I live?',
    'where do I live',
    'what day is it today',
    "what's my name",
    'whats my dog called',
    'wheres the blue key',
    'who plays the cello',
    'how old is Ada',
    'which of my lockers has a lamp',
    'did I tell you about Ada',
    'is there a key',
    'Tell me what you know about Ada.',
    'please remind me where the key is',
    '你住在哪里？',
    'Lisbon?',
  ])('%s asks', (text) => {
    expect(questionsIn(text)).toBe(text);
    expect(statementsIn(text)).toBe('');
  });

  it.each([
    'I live in Lisbon',
    'Who I was then I hardly know',
    'When I was a child I lived in Rome',
    'When my sister was a child we lived in Rome',
    '我住在里斯本。',
    'What you said about Ada was right.',
    'Will and Ada came to dinner',
    'Remind me to buy milk',
    'The hall is 3.5 m wide.',
    'Have a look at the old piano in the hall!',
  ])('%s tells', (text) => {
    expect(statementsIn(text)).toBe(text);
    expect(questionsIn(text)).toBe('');
  });

  it('a text can contain both, and a single word is neither', () => {
    const text = 'Hello! I moved to Lisbon. Where is a good café? Ada is with me.';
    expect(questionsIn(text)).toBe('Where is a good café?');
    expect(statementsIn(text)).toBe('I moved to Lisbon. Ada is with me.');
    expect(statementsIn('Thanks!')).toBe('');
  });
});
