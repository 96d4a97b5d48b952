import type { Dialogues } from './dialogue.ts';

/** Questions about details: changes that the question does not name, negations, names, code, identifiers, times and numbers. */
export const details: Dialogues = {
  'a change, asked for without "now"': [
    {
      before: [['u: I am on the Pro plan.'], ['u: I downgraded to the Basic plan.']],
      ask: 'Which plan am I on?',
      shows: ['Basic'],
    },
    {
      before: [
        ['u: The wedding is in the town hall of Nijmegen.', 'a: Lovely.'],
        ['u: We changed the venue: the wedding is in the castle of Wijchen.', 'a: Even better.'],
      ],
      ask: 'Where is the wedding?',
      shows: ['Wijchen'],
    },
    {
      before: [['u: My flight leaves at 7:40.', 'a: Noted.'], ['u: The airline moved my flight to 9:15.']],
      ask: 'When does my flight leave?',
      shows: ['9:15'],
      miss: 'the change has one word of the question, what it changed has two',
    },
  ],
  'a negation': [
    { before: [['u: I do not like olives.'], ['u: I like capers.']], ask: 'What do I not like?', shows: ['olives'] },
    {
      before: [['u: I have never been to Japan.', 'a: I see.', 'u: I have been to Korea twice.']],
      ask: 'Have I been to Japan?',
      first: 'never been to Japan',
    },
    {
      before: [['u: The kids may not watch TV on school days.'], ['u: The kids watch films on Saturdays.']],
      ask: "When can't the kids watch TV?",
      first: 'on school days',
    },
    {
      before: [['u: Never book a hotel without a gym.', 'a: Understood.'], ['u: The hotel in Bath was too loud.']],
      ask: 'What must a hotel have?',
      shows: ['without a gym'],
    },
  ],
  'a name': [
    {
      before: [['u: Anna Berg is our accountant.', 'a: Good.', 'u: Anna Lind is the midwife.', 'a: Good.']],
      ask: 'What does Anna Lind do?',
      first: 'midwife',
    },
    {
      before: [['u: My doctor is called Yılmaz.'], ['u: My dentist is called Kaya.']],
      ask: 'Yilmaz?',
      first: 'doctor',
    },
    {
      before: [['u: Jürgen borrowed our drill.'], ['u: Jutta borrowed our ladder.']],
      ask: 'What did Jurgen borrow?',
      first: 'drill',
    },
  ],
  'code and identifiers': [
    {
      before: [['u: The invoice number is RE-2026-0417.', 'a: Noted.', 'u: The order number is 88-1203.', 'a: Noted.']],
      ask: 'What was the invoice number?',
      first: 'RE-2026-0417',
    },
    {
      before: [['u: The function fetchRates retries three times.'], ['u: The function fetchUsers does not retry.']],
      ask: 'How often does fetch_rates retry?',
      first: 'three times',
    },
    {
      before: [['u: Parcel JJD00998 is for Lea.'], ['u: Parcel JJD00989 is for Tim.']],
      ask: 'Who is JJD00989 for?',
      first: 'Tim',
      hides: ['Lea'],
    },
  ],
  'a time': [
    {
      before: [['u: I had my tetanus shot in March 2021.'], ['u: I had a flu shot, too.']],
      ask: 'When was my tetanus shot?',
      first: 'March 2021',
    },
    {
      before: [['u: I cleaned the cellar.'], ['u: I repaired the fence.'], ['u: I cleaned the attic.']],
      ask: 'What did I clean on 7 January?',
      first: 'attic',
    },
    {
      before: [['u: The bins are emptied on Tuesdays.'], ['u: Paper is collected every second Friday.']],
      ask: 'When is paper collected?',
      first: 'second Friday',
      hides: ['bins'],
    },
  ],
  'a number': [
    {
      before: [['u: The ladder is 4.5 m long.'], ['u: The garden is 12 m long.']],
      ask: 'How long is the ladder?',
      first: '4.5',
    },
    { before: [['u: We need 24 chairs.'], ['u: We have 6 tables.']], ask: 'How many chairs do we need?', first: '24' },
    {
      before: [['u: I paid 89 euros for the shoes.'], ['u: I paid 120 euros for the jacket.']],
      ask: 'How much was the jacket?',
      first: '120',
    },
    {
      before: [['u: I paid 89 euros for the shoes.'], ['u: I paid 120 euros for the jacket.']],
      ask: 'What did I buy for 89 euros?',
      first: 'shoes',
    },
  ],
};
