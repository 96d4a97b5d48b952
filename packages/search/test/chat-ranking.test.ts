import { describe, expect, it } from 'vitest';
import { WEIGHTS } from '../src/ranking/ranking-weights.ts';
import { find, recordOf, said, search, signalOf, tableOf, talk } from './talk.ts';

const ESSAY = `Here is what matters for a marathon: ${'train for the marathon, rest, eat well, and sleep. '.repeat(30)}`;

describe('a chat with an assistant', () => {
  const chat = talk(
    'user: I want to run a marathon in October',
    said(`assistant: ${ESSAY}`),
    'user: What should I eat?',
    'assistant: Pasta and bananas.',
  );

  it('ranks a statement of the user before the essay that answers it', () => {
    expect(find(chat, 'When is my marathon?')[0]).toBe('I want to run a marathon in October');
    expect(signalOf(chat, 'marathon', 'I want to run a marathon in October', 'role')).toBe(WEIGHTS.user);
    expect(signalOf(chat, 'marathon', ESSAY, 'role')).toBe(1);
  });

  it('weights the assistant more if the query asks for its words', () => {
    expect(signalOf(chat, 'What did you recommend for the marathon?', ESSAY, 'role')).toBe(WEIGHTS.assistant);
    expect(signalOf(chat, 'What did I do for the marathon?', ESSAY, 'role')).toBe(1);
  });

  it('does not weight a question of the user less', () => {
    expect(signalOf(chat, 'eat', 'What should I eat?', 'asks')).toBe(1);
  });

  it('finds the question to an answer of the assistant, even without a word of the query', () => {
    const asked = talk('user: Which one do you like?', 'assistant: The heron.', 'user: Fine.', 'assistant: Yes.');
    expect(find(asked, 'heron').sort()).toEqual(['The heron.', 'Which one do you like?']);
    const people = talk('Ada: Which one do you like?', 'Ben: The heron.', 'Ada: Fine.');
    expect(find(people, 'heron')).toEqual(['The heron.']);
  });

  it('does not treat a role as a name', () => {
    const login = talk('user: The user login fails', 'assistant: Check the user table', 'Ada: The user login works');
    expect(signalOf(login, 'Why does the user login fail?', 'The user login fails', 'speaker')).toBe(1);
  });
});

describe('standing instructions', () => {
  it('of the user count more, unlike those between people', () => {
    const table = talk(
      said('user: Always give recipes in metric units', { thread: 'a' }),
      said('user: My aunt gave me recipes', { thread: 'b' }),
      said('Ada: Never lend recipes to Ben', { thread: 'c' }),
    );
    expect(find(table, 'recipes for bread')[0]).toBe('Always give recipes in metric units');
    expect(signalOf(table, 'recipes', 'Always give recipes in metric units', 'instructs')).toBe(WEIGHTS.instructs);
    expect(signalOf(table, 'recipes', 'Never lend recipes to Ben', 'instructs')).toBe(1);
  });

  it('count less if the query asks for a fact', () => {
    const table = talk('user: Never buy paint without samples', 'user: The paint was green');
    const instructs = (query: string) => signalOf(table, query, 'Never buy paint without samples', 'instructs');
    expect(instructs('Which colour was the paint?')).toBe(WEIGHTS.instructsFact);
    expect(instructs('Which paint should I buy?')).toBe(WEIGHTS.instructs);
  });
});

describe('a query about the present', () => {
  const notes = ['Runa lives in Bergen', 'Runa lives in Oslo', 'Runa lives in Rome'].map((text, n) => {
    const at = new Date(Date.UTC(2024, [5, 11, 0][n] as number, 1)).toISOString();
    const { turn, ...note } = recordOf(n + 1, { text, at });
    return note;
  });
  const table = tableOf(...notes);

  it('prefers the newest record by its time', () => {
    expect(find(table, 'Where does Runa live now?')).toEqual([
      'Runa lives in Oslo',
      'Runa lives in Bergen',
      'Runa lives in Rome',
    ]);
    expect(signalOf(table, 'Where does Runa live now?', 'Runa lives in Oslo', 'present')).toBe(WEIGHTS.present);
    expect(signalOf(table, 'Where does Runa live now?', 'Runa lives in Rome', 'present')).toBe(1);
    expect(signalOf(table, 'Where does Runa live?', 'Runa lives in Oslo', 'present')).toBe(1);
  });
});

describe('an entry that says what has changed', () => {
  const table = talk('user: The session limit was raised to 8 hours', 'user: The session limit is 30 minutes');
  const signal = (query: string) => signalOf(table, query, 'The session limit was raised to 8 hours', 'present');

  it('counts more if the query asks for the present', () => {
    // The oldest, so that its time adds nothing.
    expect(signal('What is the session limit now?')).toBe(WEIGHTS.changed);
    expect(signal('What is the session limit?')).toBe(1);
  });
});

describe('a query in the present tense', () => {
  const table = talk('user: I worked at Fjordline until May 2023', 'user: I work at a shipyard by the old harbour');
  const over = 'I worked at Fjordline until May 2023';

  it('prefers what is not over', () => {
    expect(find(table, 'Where do I work?')[0]).not.toBe(over);
    expect(signalOf(table, 'Where do I work?', over, 'present')).toBe(WEIGHTS.over);
    expect(signalOf(table, 'Where did I work in May 2023?', over, 'present')).toBe(1);
  });
});

describe('words that frame a request', () => {
  it('match only as whole words', () => {
    const table = talk('user: Currency amounts are whole numbers', 'user: The plan is Monday');
    expect(find(table, 'What is the current plan?')).toEqual(['The plan is Monday']);
  });

  it('count less than its subject, but fully without one', () => {
    const table = talk(said('Ada: the list of the summary', { thread: 'a' }), said('Ben: the boat', { thread: 'b' }));
    expect(find(table, 'Give me a summary of the boat')[0]).toBe('the boat');
    const gives = (query: string) => signalOf(table, query, 'the list of the summary', 'words') ?? Number.NaN;
    expect(gives('my summary of the boat')).toBeCloseTo(WEIGHTS.framing * gives('summary'), 12);
  });

  it('count fully in keywords, which ask nobody', () => {
    const table = talk(said('Ada: the list of the summary', { thread: 'a' }), said('Ben: the boat', { thread: 'b' }));
    const gives = (query: string) => signalOf(table, query, 'the list of the summary', 'words') ?? Number.NaN;
    expect(gives('summary boat')).toBeCloseTo(gives('summary'), 12);
  });
});

describe('a query of many words', () => {
  it('is reduced to 64 words: the most repeated, then the longest, then the first', () => {
    const words = Array.from({ length: 100 }, (_, n) => `${n % 2 === 0 ? 'b' : 'd'}${'x'.repeat(1 + n / 2)}k`);
    const table = talk(...words.map((word) => said(`Ada: ${word}`, { thread: word })));
    const found = search(table, `${words.join(' ')} ${words[0]}`, 1_000).map(({ content }) => words.indexOf(content));
    expect(found.sort((a, b) => a - b)).toEqual([0, 36, ...Array.from({ length: 62 }, (_, n) => 38 + n)]);
  });
});

describe('the excerpt of a long entry', () => {
  it('is the passage with the most informative words, in any form or of the kind that the query names', () => {
    const filler = 'The committee met and talked about several things of little weight. '.repeat(12);
    const table = talk(`user: ${filler}We bought a cello. ${filler}`, 'user: The committee met');
    const longOf = (query: string) => search(table, query).find(({ content }) => content.length > 480);
    const excerptFor = (query: string) => longOf(query)?.excerpt?.text;
    expect(excerptFor('Did the committee buy something?')).toContain('bought a cello');
    expect(excerptFor('Which instrument does the committee have?')).toContain('a cello');
    expect(search(table, 'committee').find(({ content }) => content.length < 100)).not.toHaveProperty('excerpt');
  });
});
