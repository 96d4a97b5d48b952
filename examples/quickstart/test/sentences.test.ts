import { describe, expect, it } from 'vitest';
import { questionsIn, statementsIn } from '../src/chat/sentences.ts';

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

describe('a sentence with a question mark can carry a fact', () => {
  it.each([
    ['My dentist appointment is on 3 March, can you remind me?', 'My dentist appointment is on 3 March.', ''],
    ['my dentist appointment is on 3 march, can you remember that', 'My dentist appointment is on 3 march.', ''],
    ["My name is Ada, what's yours?", 'My name is Ada.', "what's yours?"],
    ['I moved to Porto, so where is a good café?', 'I moved to Porto.', 'where is a good café?'],
    ['Can you remember that my PIN is 1234?', 'My PIN is 1234.', ''],
    ['Could you remind me to call Ada on Friday?', 'Remind me to call Ada on Friday.', ''],
    ['Did you know that I moved to Porto?', 'I moved to Porto.', 'Did you know that I moved to Porto?'],
    ['If I move to Porto, where should I live?', '', 'If I move to Porto, where should I live?'],
    ['For my trip to Japan, what should I pack?', '', 'For my trip to Japan, what should I pack?'],
    ['Can you remember my name?', '', 'Can you remember my name?'],
    ['My sister, who plays the cello, lives in Graz.', 'My sister, who plays the cello, lives in Graz.', ''],
  ])('%s', (text, states, asks) => {
    expect(statementsIn(text)).toBe(states);
    expect(questionsIn(text)).toBe(asks);
  });

  it.each(['tell me a joke', 'Write a poem about my dog.', 'Recommend a restaurant', 'Show me my notes'])(
    '%s is a request, not a statement',
    (text) => {
      expect(statementsIn(text)).toBe('');
      expect(questionsIn(text)).toBe(text);
    },
  );

  it.each(['Hello there!', 'Thanks a lot', "that's great", 'ok, thanks', 'Never mind.', 'Good morning'])(
    '%s is neither',
    (text) => {
      expect(statementsIn(text) + questionsIn(text)).toBe('');
    },
  );

  it.each(['Tell me to leave at five.', 'List of groceries: milk, eggs', 'Thank you cards are in the drawer.'])(
    '%s is a statement',
    (text) => {
      expect(statementsIn(text)).toBe(text);
    },
  );
});
