import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { chatHere } from './demo.ts';

const directory = useDirectory();

/** What is said, line by line, and what an answer contains, or with `not` does not. Written before the code for it. */
type Line = string | readonly [said: string, answer: string | { readonly not: string }];

const PASTE = `${'The board met and talked about the roof of the club house. '.repeat(60)}The new treasurer is Ines. ${'Then they talked about the boats. '.repeat(40)}`;

const DIALOGUES: Readonly<Record<string, readonly Line[]>> = {
  'an allergy answers what one can not eat': ["I'm allergic to shellfish.", ["What can't I eat?", 'shellfish']],
  'an allergy answers what to leave out of a meal': ["I'm allergic to nuts.", ['What should I not eat?', 'nuts']],
  'what was sold is not first': [
    'Henrik drives a red Volvo.',
    'Henrik sold the Volvo and bought a blue Fiat.',
    ['What car does Henrik drive?', 'This comes closest:\n  TIME, you said: Henrik sold the Volvo'],
  ],
  'what was cancelled is not first': [
    'I have a gym membership at Fit Factory.',
    'I cancelled my gym membership.',
    ['Do I have a gym membership?', 'This comes closest:\n  TIME, you said: I cancelled'],
  ],
  'a job that was left is not first': [
    'Marta works as a nurse.',
    'Marta quit her job as a nurse in May.',
    ['Is Marta a nurse?', 'This comes closest:\n  TIME, you said: Marta quit'],
  ],
  'two people who sell are not mixed up': [
    'Henrik drives a red Volvo.',
    'Paula sold her Saab.',
    ['What does Henrik drive?', 'This comes closest:\n  TIME, you said: Henrik drives a red Volvo.'],
  ],
  'a correction comes first': [
    'My dentist appointment is on Tuesday at 9.',
    'Actually, the dentist moved my appointment to Thursday at 14:00.',
    ['When is my dentist appointment?', 'This comes closest:\n  TIME, you said: Actually, the dentist moved'],
  ],
  'a correction that begins with no comes first': [
    'My flight to Oslo is on Friday.',
    'No, the flight is on Saturday.',
    ['When is my flight to Oslo?', 'This comes closest:\n  TIME, you said: No, the flight'],
  ],
  'a correction that says so comes first': [
    'The meeting is at 3pm.',
    'Correction: the meeting is at 4pm.',
    ['When is the meeting?', 'This comes closest:\n  TIME, you said: Correction'],
  ],
  'a correction that only says it comes first': [
    'My phone number is 555-1234.',
    "Sorry, it's 555-9876.",
    [
      'What is my phone number?',
      "This comes closest:\n  TIME, you said: My phone number is 555-1234. Sorry, it's 555-9876.\n  before that",
    ],
  ],
  'the last of several corrections comes first': [
    'The meeting is at 3pm.',
    'Oops, make that 4pm.',
    'When is the meeting?',
    'No wait, I meant 5pm.',
    ['When is the meeting?', 'This comes closest:\n  TIME, you said: The meeting is at 3pm. No wait, I meant 5pm.'],
  ],
  'a correction of somebody comes first': [
    'My sister is 34.',
    "Actually, she's 35.",
    ['How old is my sister?', "This comes closest:\n  TIME, you said: My sister is 34. Actually, she's 35."],
  ],
  'an apology corrects nothing': [
    'I live in Oslo.',
    'Sorry, I have to leave early today.',
    ['Where do I live?', 'This comes closest:\n  TIME, you said: I live in Oslo.\n'],
  ],
  'a correction can be forgotten alone': [
    'My PIN is 1234.',
    "Sorry, it's 4321.",
    ["don't remember this", "Forgot what you said last: Sorry, it's 4321."],
    ['What is my PIN?', 'This comes closest:\n  TIME, you said: My PIN is 1234.\n'],
  ],
  'what is done again is first': [
    "I don't eat fish, because it always makes me sick.",
    'My cat sleeps in the hall.',
    'I eat fish again.',
    ['Do I eat fish?', 'This comes closest:\n  TIME, you said: I eat fish again.\n  before that'],
    ["Why don't I eat fish?", 'This comes closest:\n  TIME, you said: I eat fish again.\n  before that'],
    ['Does fish make me sick?', 'This comes closest:\n  TIME, you said: I eat fish again.\n  before that'],
  ],
  'what is no more done is first': [
    'I drink coffee with oat milk every morning.',
    "I don't drink coffee.",
    ['Do I drink coffee with milk?', "This comes closest:\n  TIME, you said: I don't drink coffee.\n  before that"],
  ],
  'two people who eat are not mixed up': [
    "My sister doesn't eat fish.",
    'I eat fish.',
    ['Does my sister eat fish?', "This comes closest:\n  TIME, you said: My sister doesn't eat fish.\n"],
  ],
  'it tells what it knows': ['I have a red bike.', ['What do you know about me?', 'I have a red bike.']],
  'it tells that it knows nothing': [['What do you remember?', 'I have nothing yet.']],
  'deleting everything asks first': [
    'I have a red bike.',
    ['forget everything', 'Delete all memories and conversations of this chat? yes or no'],
    ['no', 'Nothing was forgotten.'],
    ['What colour is my bike?', 'I have a red bike.'],
  ],
  'a bare question finds nothing': ['asdf qwer', ['Why?', 'I have nothing about that yet.']],
  'another bare question finds nothing': ['I live in Oslo.', ['And then?', 'I have nothing about that yet.']],
  'a hit in a long text is shown as an excerpt': [
    PASTE,
    ['Who is the new treasurer?', 'The new treasurer is Ines.'],
    ['Who is the treasurer?', { not: 'boats. Then they talked about the boats. Then they talked about the boats.' }],
  ],
  'forgetting more than one memory asks first': [
    'The Volvo is red.',
    'The Volvo needs new tyres.',
    ['forget about the Volvo', 'Forget these 2 memories? yes, no, or a number'],
    ['no', 'Nothing was forgotten.'],
    ['What needs new tyres?', 'The Volvo needs new tyres.'],
  ],
  'forgetting more than one memory forgets all after a yes': [
    'The Volvo is red.',
    'The Volvo needs new tyres.',
    'forget about the Volvo',
    ['yes', 'Forgot 2 memories:'],
    ['What needs new tyres?', 'I have nothing about that yet.'],
  ],
  'forgetting one of several takes its number': [
    'The Volvo is red.',
    'The Volvo needs new tyres.',
    'forget about the Volvo',
    ['2', 'Forgot 1 memory:'],
  ],
  'a number that is not in the list forgets nothing': [
    'The Volvo is red.',
    'The Volvo needs new tyres.',
    'forget about the Volvo',
    ['7', 'Nothing was forgotten.'],
  ],
  'something else than yes or no keeps all, and is answered': [
    'The Volvo is red.',
    'The Volvo needs new tyres.',
    'forget about the Volvo',
    ['Which colour is the Volvo?', 'The Volvo is red.'],
  ],
  'one memory is forgotten at once': ['My bike is blue.', ['forget about my bike', 'Forgot 1 memory:']],
  'a yes without a question is nothing to remember': [['yes', { not: "I'll remember that." }]],
  'a newer home comes first': [
    'I live in Lisbon.',
    'I have moved to Porto.',
    ['Where do I live?', 'This comes closest:\n  TIME, you said: I have moved to Porto.'],
  ],
  'a newer number comes first': [
    'My phone number is 555 0101.',
    'My new phone number is 555 0202.',
    ['What is my phone number?', 'This comes closest:\n  TIME, you said: My new phone number is 555 0202.'],
  ],
  'a question that says something is remembered': [
    ['My name is Ada, what is yours?', "I'll remember that."],
    ['What is my name?', 'My name is Ada.'],
  ],
  'a request for a joke says what this can do': [['Tell me a joke', 'I have nothing about that']],
  'small talk is not remembered': [
    ['Good morning!', { not: "I'll remember that." }],
    ['What did I say this morning?', 'I have nothing about that yet.'],
  ],
  'who said it first does not matter to who asks': [
    'My sister Runa plays the cello.',
    ['Which instrument does my sister play?', 'Runa plays the cello'],
  ],
  'what is off the record is not found': [
    'Off the record: I am leaving the company.',
    ['What about the company?', 'I have nothing about that yet.'],
  ],
  'reminders are kept': [
    ['Remind me to buy milk.', "I'll remember that."],
    ['What should I buy?', 'buy milk'],
  ],
  'a correction is forgotten with what it corrects': [
    'My PIN is 1234.',
    ["don't remember this", 'Forgot what you said last: My PIN is 1234.'],
    ['What is my PIN?', 'I have nothing about that yet.'],
  ],
};

const FORGETTING = [
  'forget about my bike',
  'Forget my bike.',
  'Please forget that my bike is blue.',
  'Can you forget about my bike?',
  'Could you please forget my bike?',
  'I want you to forget about my bike.',
  "I'd like you to forget what I said about my bike.",
  'You can forget about my bike now.',
  'Stop remembering my bike.',
  "Don't remember my bike any more.",
  'Erase my bike from your memory.',
  'Delete what I told you about my bike.',
  'Get rid of everything about my bike.',
  'Remove my bike from memory, please.',
  'Wipe what you know about my bike.',
  'Please delete the note about my bike.',
  'Drop everything you have on my bike.',
  'Never mind what I said about my bike.',
];

function timeless(text: string): string {
  return text.replaceAll(/\d+ \w+ \d{4}, \d\d:\d\d/g, 'TIME');
}

/** The answers to lines, in their order. */
async function answersTo(lines: readonly string[]): Promise<string[]> {
  const { stdout, stderr } = await chatHere(directory.path, lines);
  expect(stderr).toBe('');
  const [, ...answers] = timeless(stdout).split(/^> /m);
  return answers.map((answer, n) => answer.slice((lines[n] ?? '').trim().length + 1).split(/^process /m)[0] ?? '');
}

describe('a dialogue', () => {
  it.each(Object.entries(DIALOGUES))('%s', async (_, lines) => {
    const answers = await answersTo(lines.map((line) => (typeof line === 'string' ? line : line[0])));
    for (const [n, line] of lines.entries()) {
      if (typeof line === 'string') continue;
      const [, answer] = line;
      if (typeof answer === 'string') expect(answers[n]).toContain(answer);
      else expect(answers[n]).not.toContain(answer.not);
    }
    for (const answer of answers) expect(answer.length).toBeLessThan(1_500);
  });

  it.each(FORGETTING)('forgets: %s', async (line) => {
    const [, , answer] = await answersTo(['My bike is blue.', 'My cat sleeps in the hall.', line]);
    expect(answer).toMatch(/^Forgot 1 memory:\n.*My bike is blue\./);
  });
});
