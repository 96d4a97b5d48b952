import type { Dialogues, Line } from './dialogue.ts';

const FAMILY: readonly Line[] = [
  'u: Joe is my brother. He repairs bicycles in Hamburg.',
  'a: A useful brother to have.',
  'u: Ana is my boss at the bakery, and she is allergic to nuts.',
  'a: Good to know.',
  'u: Marta is our neighbour from the third floor. She feeds the cat when we travel.',
  'a: That is kind of her.',
  'u: Pavel plays chess with me on Thursdays.',
  'a: Enjoy the games.',
];
const ABOUT_JOE: readonly Line[] = ['u: Tell me about Joe.', 'a: Joe is your brother. He repairs bicycles in Hamburg.'];
const ABOUT_ANA: readonly Line[] = ['u: Tell me about Ana.', 'a: Ana is your boss at the bakery.'];

/** Questions about people, by name and by pronoun. */
export const people: Dialogues = {
  'a person, by name': [
    { before: [FAMILY], ask: 'What do we know about Joe?', first: 'Joe is my brother' },
    {
      before: [FAMILY],
      ask: 'Tell me who Marta is.',
      first: 'Marta is our neighbour',
      hides: ['bicycles', 'allergic'],
    },
    {
      before: [FAMILY],
      now: ABOUT_JOE,
      ask: 'What do we know about Ana?',
      first: 'Ana is my boss',
      hides: ['chess', 'neighbour'],
    },
    {
      before: [FAMILY],
      now: [...ABOUT_JOE, ...ABOUT_ANA],
      ask: 'What do we know about Marta?',
      first: 'Marta is our neighbour',
      hides: ['bicycles', 'chess'],
    },
    { before: [FAMILY], now: [...ABOUT_JOE, ...ABOUT_ANA], ask: 'And Pavel?', first: 'Pavel plays chess' },
    { before: [FAMILY], now: ABOUT_ANA, ask: 'Marta?', first: 'Marta is our neighbour' },
    { before: [FAMILY], now: ABOUT_JOE, ask: 'What is Ana allergic to?', first: 'allergic to nuts' },
    { before: [FAMILY], now: ABOUT_ANA, ask: 'What does Joe repair?', first: 'repairs bicycles' },
    { before: [FAMILY], ask: 'When do I play chess with Pavel?', first: 'on Thursdays', hides: ['bakery'] },
    { before: [FAMILY], ask: 'Who feeds the cat when we travel?', first: 'feeds the cat' },
  ],
  'a person or thing, by pronoun': [
    {
      before: [FAMILY],
      now: ['u: Tell me about Joe.', 'a: Your brother.'],
      ask: 'Where does he work?',
      shows: ['Hamburg'],
    },
    {
      before: [FAMILY],
      now: ['u: Tell me about Ana.', 'a: Your boss.'],
      ask: 'Is she allergic to anything?',
      first: 'nuts',
    },
    {
      before: [FAMILY],
      now: ['u: Tell me about Marta.', 'a: A neighbour.'],
      ask: 'And on which floor is she?',
      first: 'third floor',
    },
    {
      before: [FAMILY],
      now: ['u: Tell me about Pavel.', 'a: A friend.'],
      ask: 'What do I do with him?',
      first: 'chess',
    },
    {
      before: [FAMILY],
      now: ['u: Tell me about Joe.', 'a: Your brother.', 'u: And Ana?', 'a: Your boss.'],
      ask: 'and her?',
      first: 'Ana is my boss',
    },
    {
      before: [
        ['u: My sister Runa has moved to Oslo.', 'a: Nice.'],
        ['u: My cousin Lena lives in Rome.', 'a: Lovely.'],
      ],
      now: ['u: Do you remember Runa?', 'a: Your sister, yes.'],
      ask: 'Where does she live now?',
      first: 'Oslo',
    },
    {
      before: [
        ['u: The Apollo project ships in May.', 'a: Noted.'],
        ['u: The Gemini project ships in July.', 'a: Noted.'],
      ],
      now: ['u: What about the Gemini project?', 'a: What would you like to know?'],
      ask: 'When does it ship?',
      first: 'Gemini',
    },
    {
      before: [
        ['u: I left the blue suitcase at the station.', 'a: OK.'],
        ['u: The red suitcase is at home.', 'a: OK.'],
      ],
      now: ['u: I need the blue suitcase.', 'a: All right.'],
      ask: 'Where is it?',
      first: 'at the station',
    },
  ],
};
