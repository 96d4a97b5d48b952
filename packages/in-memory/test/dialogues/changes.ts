import type { Dialogues } from './dialogue.ts';

/** Facts that changed, and questions about the current ones. */
export const changes: Dialogues = {
  'a fact that changed': [
    {
      before: [['u: I live in Berlin.'], ['u: I have moved to Lisbon, I no longer live in Berlin.']],
      ask: 'Where do I live now?',
      first: 'Lisbon',
    },
    {
      before: [['u: My car is a blue Polo.'], ['u: I sold the Polo, my car is a red Yaris now.']],
      ask: 'Which car do I drive now?',
      first: 'Yaris',
    },
    {
      before: [['u: The launch is on 3 May.'], ['u: The launch is postponed to 9 June.']],
      ask: 'When is the launch currently planned?',
      first: '9 June',
    },
    {
      before: [['u: My phone number ends in 4711.'], ['u: My phone number ends in 0815 from today.']],
      ask: 'What is my current phone number?',
      first: '0815',
    },
    {
      before: [['u: Our database is MySQL.'], ['u: Our database is PostgreSQL since the migration.']],
      ask: 'Which database do we use at the moment?',
      first: 'PostgreSQL',
    },
    {
      before: [['u: I weigh 84 kilos.'], ['u: I weigh 81 kilos.'], ['u: I weigh 79 kilos.']],
      ask: 'How much do I weigh now?',
      first: '79',
    },
    {
      before: [['u: My favourite tea is green tea.'], ['u: My favourite tea is rooibos these days.']],
      ask: 'What is my favourite tea these days?',
      first: 'rooibos',
    },
    {
      before: [['u: Tom is my manager.'], ['u: Priya is my manager since the reorganisation.']],
      ask: 'Which manager do I have now?',
      first: 'Priya',
    },
  ],
  'now and currently, among many facts': [
    {
      before: [
        ['u: The rent is 900 euros.'],
        ['u: We pay for water, too.'],
        ['u: The rent went up to 950 euros.'],
        ['u: We got a cat.'],
      ],
      ask: 'How high is the rent currently?',
      first: '950',
    },
    {
      before: [
        ['u: The latest release is 1.4.'],
        ['u: Tests are slow.'],
        ['u: The latest release is 1.5.'],
        ['u: I like tests.'],
      ],
      ask: 'What is the latest release?',
      first: '1.5',
    },
    {
      before: [['u: My goal is to run 5 km.'], ['u: It rained.'], ['u: My goal is to run 10 km.']],
      ask: 'What is my current running goal?',
      first: '10 km',
    },
    {
      before: [['u: The meeting is in room 12.'], ['u: The meeting is in room 30.']],
      ask: 'In which room is the meeting now?',
      first: 'room 30',
    },
    {
      before: [['u: The budget is 20,000 euros.'], ['u: The budget was cut to 15,000 euros.']],
      ask: 'What is the most recent budget?',
      first: '15,000',
    },
    { before: [['u: I study biology.'], ['u: I study law.']], ask: 'What do I study at present?', first: 'law' },
    {
      before: [['u: Nina works at Siemens.'], ['u: Nina works at Bosch.']],
      ask: 'Does Nina still work at Siemens?',
      shows: ['Bosch'],
    },
  ],
  'a fact that did not change': [
    {
      before: [['u: My birthday is on 4 April.'], ['u: I have a dentist appointment on Monday.']],
      ask: 'When is my birthday?',
      first: '4 April',
      hides: ['dentist'],
    },
    { before: [['u: I was born in Kyiv.'], ['u: I live in Lisbon.']], ask: 'Where was I born?', first: 'Kyiv' },
  ],
};
