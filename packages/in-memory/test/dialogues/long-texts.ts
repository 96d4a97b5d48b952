import type { Dialogues } from './dialogue.ts';

const REPORT = (fact: string) =>
  [
    'Here is the report of the quarterly meeting.',
    ...Array.from(
      { length: 25 },
      (_, n) => `Item ${n + 1} was discussed at length, and the committee agreed to look at it next quarter.`,
    ),
    fact,
    ...Array.from(
      { length: 25 },
      (_, n) => `Item ${n + 30} was postponed, since the figures of the department were not complete.`,
    ),
  ].join(' ');
const ESSAY = (subject: string) =>
  [
    `Here is what matters for ${subject}:`,
    ...Array.from(
      { length: 12 },
      (_, n) =>
        `${n + 1}. **Step ${n + 1}**: think about ${subject}, write down what you find, and talk about ${subject} with a friend.`,
    ),
    `Good luck with ${subject}!`,
  ].join('\n');
const CODE = (name: string, detail: string) =>
  [
    '```ts',
    `export function ${name}(input: string): string {`,
    ...Array.from({ length: 30 }, (_, n) => `  const step${n} = input.slice(${n}).trim();`),
    `  ${detail}`,
    '}',
    '```',
  ].join('\n');

/** Pasted documents, long answers, code. */
export const longTexts: Dialogues = {
  'a long pasted document': [
    {
      before: [[`u: ${REPORT('The office moves to Leipzig in August.')}`, 'a: Thanks.']],
      ask: 'Where does the office move?',
      shows: ['moves to Leipzig in August'],
      hides: ['Item 50'],
    },
    {
      before: [[`u: ${REPORT('The cafeteria gets a new coffee machine.')}`]],
      ask: 'What does the cafeteria get?',
      shows: ['new coffee machine'],
    },
    {
      before: [[`u: ${REPORT('Ms. Okafor leads the audit.')}`], ['u: I had pasta for lunch.']],
      ask: 'Who leads the audit?',
      first: 'Okafor',
      hides: ['pasta'],
    },
    {
      before: [
        [`u: ${REPORT('The password policy requires 14 characters.')}`],
        ['u: My password manager is Bitwarden.'],
      ],
      ask: 'How many characters does the password policy require?',
      first: '14 characters',
    },
    {
      before: [
        [`u: ${REPORT('Travel costs fell by 12 percent.')}`],
        [`u: ${REPORT('Energy costs rose by 30 percent.')}`],
      ],
      ask: 'By how much did energy costs rise?',
      shows: ['rose by 30 percent'],
    },
    {
      before: [[`u: ${REPORT('The deadline for vacation requests is 15 January.')}`]],
      ask: 'What is the deadline for vacation requests?',
      shows: ['15 January'],
      hides: ['Item 54'],
    },
  ],
  'short facts beside long answers': [
    {
      before: [['u: I want to run a marathon in October, my knee hurts.', `a: ${ESSAY('running a marathon')}`]],
      ask: 'When do I want to run a marathon?',
      first: 'in October',
    },
    {
      before: [
        ['u: My thesis is about moss on roofs.', `a: ${ESSAY('a thesis')}`],
        ['u: How do I write a thesis?', `a: ${ESSAY('writing a thesis')}`],
      ],
      ask: 'What is my thesis about?',
      first: 'moss on roofs',
    },
    {
      before: [['u: We plan a wedding for 80 guests.', `a: ${ESSAY('a wedding')}`]],
      ask: 'How many guests do we plan for the wedding?',
      first: '80 guests',
    },
    {
      before: [['u: I am learning Portuguese with Duarte.', `a: ${ESSAY('learning Portuguese')}`]],
      ask: 'Who am I learning Portuguese with?',
      first: 'Duarte',
    },
  ],
  'what the assistant recommended': [
    {
      before: [
        ['u: Which book should I read in the summer?', 'a: I recommend The Summer Book by Tove Jansson.'],
        ['u: I read books in summer.'],
      ],
      ask: 'Which book did you recommend for the summer?',
      first: 'Tove Jansson',
    },
    {
      before: [['u: How do I get rid of moths?', 'a: Put lavender and cedar wood into the wardrobe.']],
      ask: 'What did you suggest against moths?',
      shows: ['cedar wood'],
    },
    {
      before: [
        ['u: What should I plant on a shady balcony?', 'a: I suggest ferns and hostas.'],
        ['u: My balcony is small.'],
      ],
      ask: 'What did you suggest for my shady balcony?',
      shows: ['hostas'],
    },
  ],
  code: [
    {
      before: [[`u: ${CODE('parseInvoice', "throw new Error('Invoice without a number');")}`, 'a: I see.']],
      ask: 'Which error does parseInvoice throw for an invoice without a number?',
      shows: ['Invoice without a number'],
    },
    {
      before: [
        [`u: ${CODE('sortByDate', 'return step3;')}`],
        [`u: ${CODE('hashPassword', "return scrypt(input, 'pepper-7');")}`],
      ],
      ask: 'Which scrypt pepper does hashPassword use?',
      first: 'pepper-7',
    },
    {
      before: [
        ['u: The build fails with ERR_MODULE_NOT_FOUND in checkout.mjs.', 'a: Check the import path.'],
        ['u: The build is slow.'],
      ],
      ask: 'What was the error in checkout.mjs?',
      first: 'ERR_MODULE_NOT_FOUND',
    },
    {
      before: [['u: We use tabs in C++ and two spaces in C#.']],
      ask: 'How do we indent C#?',
      shows: ['two spaces in C#'],
    },
    {
      before: [['u: Our API listens on port 8443.'], ['u: Port wine goes well with cheese.']],
      ask: 'Which port does our API listen on?',
      first: '8443',
    },
  ],
  'standing instructions': [
    {
      before: [
        ['u: Always answer in metric units when I ask about recipes.', 'a: I will.'],
        ['u: My grandmother had recipes for plum cake.'],
      ],
      ask: 'Do you have recipes for bread?',
      shows: ['metric units'],
    },
    {
      before: [['u: Never suggest meat when I ask for dinner ideas.', 'a: Understood.']],
      ask: 'Any ideas for dinner tonight?',
      first: 'Never suggest meat',
    },
    {
      before: [
        ['u: From now on, write dates as day, month, year in my letters.', 'a: All right.'],
        ['u: I wrote letters to my aunt.'],
      ],
      ask: 'Draft one of my letters to the landlord.',
      first: 'day, month, year',
    },
  ],
};
