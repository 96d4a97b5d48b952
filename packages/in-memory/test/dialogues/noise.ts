import type { Dialogues } from './dialogue.ts';

/** Texts that must not be injected: chatter, questions, and text that the model already sees. */
export const noise: Dialogues = {
  chatter: [
    {
      before: [['u: Hello!', 'a: Hi! How can I help you?', 'u: My sister Runa has moved to Oslo.', 'a: Noted.']],
      ask: 'Hello! Where does my sister live?',
      first: 'Oslo',
      hides: ['How can I help', 'Noted'],
    },
    {
      before: [['u: Thanks!', 'a: You are welcome!', 'u: Okay, great.', 'a: Anytime.']],
      ask: 'Thanks, okay!',
      nothing: true,
    },
    {
      before: [['u: The gym opens at six.', 'a: Okay!', 'u: Okay!']],
      ask: 'Okay, when does the gym open?',
      first: 'at six',
      hides: ['>Okay!<'],
    },
    {
      before: [['u: Good morning', 'a: Good morning! What would you like to do today?']],
      ask: 'Good morning',
      nothing: true,
    },
    {
      before: [['u: Yes', 'a: Great!', 'u: My dentist is Dr. Weber.']],
      ask: 'Yes, who is my dentist?',
      first: 'Dr. Weber',
      hides: ['>Great!<'],
    },
    { before: [['u: haha wow', 'a: Glad you like it!']], ask: 'wow, what is the wifi password?', nothing: true },
    {
      before: [['u: I am vegetarian.', "a: Got it, thanks! I'll remember that."]],
      ask: 'What can I cook? You remember that I am vegetarian?',
      hides: ["I'll remember that"],
    },
    { before: [['u: Bye!', 'a: Bye, take care!', 'u: See you later.']], ask: 'Bye!', nothing: true },
  ],
  'earlier questions': [
    {
      before: [['u: Where does Runa live?', 'a: I do not know yet.'], ['u: My sister Runa has moved to Oslo.']],
      ask: 'Where does Runa live?',
      first: 'Oslo',
      hides: ['>Where does Runa live?<'],
    },
    {
      before: [['u: What is the wifi password?', 'a: The wifi password is heron-42.']],
      ask: 'What is the wifi password?',
      first: 'heron-42',
      hides: ['>What is the wifi password?<'],
    },
    {
      before: [
        ['u: When is the tax return due?'],
        ['u: When is the tax return due?'],
        ['u: The tax return is due on 31 July.'],
      ],
      ask: 'When is the tax return due?',
      first: '31 July',
      hides: ['>When is'],
    },
    {
      before: [['u: What do we know about Marta?'], ['u: What do we know about Joe?'], ['u: Marta is our neighbour.']],
      ask: 'What do we know about Marta?',
      first: 'neighbour',
      hides: ['>What do we know'],
    },
    {
      before: [['u: How do I reset the router?', 'a: Hold the button on its back for ten seconds.']],
      ask: 'How do I reset the router?',
      shows: ['ten seconds'],
      hides: ['>How do I'],
    },
    { before: [['u: Is the pool open on Sundays?']], ask: 'Is the pool open on Sundays?', nothing: true },
  ],
  'text that the model already sees': [
    {
      before: [['u: I am allergic to peanuts and to dust.']],
      now: ['u: I am allergic to peanuts and to dust.', 'a: Noted.'],
      ask: 'What am I allergic to?',
      nothing: true,
    },
    {
      before: [['u: The parcel is at the post office.'], ['u: The parcel weighs two kilos.']],
      now: ['u: The parcel is at the post office.', 'a: OK.'],
      ask: 'How heavy is the parcel?',
      first: 'two kilos',
      hides: ['post office'],
    },
  ],
  'unknown topics': [
    { before: [['u: I like hiking in the Alps.']], ask: 'What is the capital of Mongolia?', nothing: true },
    { before: [['u: My bike is green.']], ask: 'Summarize the French Revolution.', nothing: true },
  ],
};
