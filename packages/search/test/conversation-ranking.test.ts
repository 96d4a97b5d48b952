import { LexicalIndex, type RecordTable, type StoredRecord } from '@keepsake/search';
import { describe, expect, it } from 'vitest';
import { WEIGHTS } from '../src/ranking/ranking-weights.ts';
import { find, recordOf, said, search, signalOf, tableOf, talk } from './talk.ts';

/** Turns that are irrelevant to the queries. */
function filler(count: number, thread = 'talk'): ReturnType<typeof said>[] {
  return Array.from({ length: count }, (_, n) => said(`nothing here number${n} ${thread}`, { thread }));
}

describe('records without a turn', () => {
  const records = ['red apple pie', 'a guitar', 'the red red cherry', 'green pear', 'we went home?'].map((text, n) => {
    const { turn, ...record } = recordOf(n + 1, { text });
    return record;
  });
  const table = tableOf(...records);

  it('have exactly their BM25 score as the signal of their words', () => {
    const index = new LexicalIndex();
    for (const { content } of records) index.add(content);
    for (const query of ['red apple', 'Did they go home?', 'who are you']) {
      const words = new Map(search(table, query).map(({ id, explanation }) => [id, explanation?.sum.words]));
      for (const { document, score } of index.search(query)) expect(words.get(records[document]?.id)).toBe(score);
    }
  });

  it('are found by a kind and by a time that the query names', () => {
    expect(find(table, 'Which instrument is it?')).toEqual(['a guitar']);
    const [early, late] = ['2023-05-08', '2023-08-08'].map((day, n) => {
      const { turn, ...record } = recordOf(n + 1, { text: `lunch ${n}`, at: `${day}T10:00:00Z` });
      return record;
    }) as [StoredRecord, StoredRecord];
    expect(find(tableOf(early, late), 'lunch in May 2023')[0]).toBe('lunch 0');
    // The time of a fact is its last change.
    const changed = { ...early, version: 2, updatedAt: '2024-05-14T10:00:00.000Z' };
    expect(signalOf(tableOf(changed, late), 'lunch in May 2023', 'lunch 0', 'time')).toBe(1);
    expect(signalOf(tableOf(changed, late), 'lunch yesterday', 'lunch 0', 'time')).toBe(WEIGHTS.day);
  });

  it('are ranked together with turns, as conversations of one turn', () => {
    const { turn, ...note } = recordOf(9, { text: 'Ada keeps bees on her roof' });
    const table = tableOf(note, recordOf(1, said('Ben: the roof leaks', {})), recordOf(2, said('Ada: oh no')));
    expect(find(table, 'Does Ada keep bees?')[0]).toBe(note.content);
    expect(signalOf(table, 'Does Ada keep bees?', note.content, 'neighbours')).toBe(0);
    expect(signalOf(table, 'Does Ada keep bees?', note.content, 'around')).toBeGreaterThan(0);
  });
});

describe('neighbours', () => {
  const lines = ['Ada: I will paint the kitchen', 'Ben: turquoise since Friday'];
  const table = talk(...filler(5), ...lines, ...filler(5, 'more').map((line) => ({ ...line, thread: 'talk' })));
  const lent = (text: string) => signalOf(table, 'kitchen nothing', text, 'neighbours') ?? Number.NaN;
  const lentByFiller = (text: string) => signalOf(table, 'nothing', text, 'neighbours') ?? Number.NaN;

  it('distinguish two turns with the same words', () => {
    const twice = talk(
      ...['Ada: how is the kitchen', 'Ben: painted it blue', 'Cid: fine', ...filler(20)],
      ...['Ada: how is the hall', 'Ben: painted it green', 'Cid: well'],
    );
    expect(find(twice, 'painted kitchen', 2).sort()).toEqual(['how is the kitchen', 'painted it blue']);
    expect(find(twice, 'painted hall', 2).sort()).toEqual(['how is the hall', 'painted it green']);
  });

  it('lend more to the next turn than to the previous one, and less with each step', () => {
    const gain = (text: string) => lent(text) - lentByFiller(text);
    const after = ['nothing here number0 more', 'nothing here number1 more', 'nothing here number2 more'].map(gain);
    const before = ['nothing here number4 talk', 'nothing here number3 talk', 'nothing here number2 talk'].map(gain);
    expect(after[0]).toBeGreaterThan(before[1] as number);
    expect(before.toSorted((a, b) => b - a)).toEqual(before);
    expect(before[2]).toBeGreaterThan(0);
    expect(after[1]).toBeGreaterThan(0);
    expect(after[2]).toBe(0);
    expect(gain('nothing here number1 talk')).toBe(0);
  });

  it('are found without a query word only if they are answers', () => {
    expect(find(talk(...lines), 'kitchen')).toEqual(['I will paint the kitchen']);
    const asked = talk('Cid: hm', 'Ada: which colour is the kitchen?', 'Ben: turquoise', 'Cid: oh');
    expect(find(asked, 'kitchen')).toEqual(['turquoise', 'which colour is the kitchen?']);
  });

  it('lend nothing to another thread', () => {
    const apart = talk(said('Ada: the kitchen?', { thread: 'a' }), said('Ben: turquoise', { thread: 'b' }));
    expect(find(apart, 'kitchen')).toEqual(['the kitchen?']);
  });

  it('are ordered by index, regardless of insertion order and gaps', () => {
    const shuffled = talk(
      said('Ben: turquoise since Friday', { index: 70 }),
      said('Cid: good night', { index: 900 }),
      said('Ada: which colour is the kitchen?', { index: 30 }),
      said('Cid: good morning', { index: 2 }),
    );
    expect(find(shuffled, 'kitchen')).toEqual(['turquoise since Friday', 'which colour is the kitchen?']);
  });

  it('lend twice as much from a question to its answer', () => {
    const asked = talk('Ada: which colour is the kitchen?', 'Ben: paint', 'Cid: painter');
    const told = talk('Ada: which colour is the kitchen', 'Ben: paint', 'Cid: painter');
    const lent = (of: RecordTable, text: string) => {
      const [both, alone] = ['kitchen paint painter', 'paint painter'].map((query) =>
        signalOf(of, query, text, 'neighbours'),
      );
      return (both ?? Number.NaN) - (alone ?? Number.NaN);
    };
    expect(lent(asked, 'paint')).toBeCloseTo(WEIGHTS.answer * lent(told, 'paint'), 12);
    expect(lent(asked, 'painter')).toBeCloseTo(lent(told, 'painter'), 12);
  });

  it('lend as if a removed turn between them had never existed', () => {
    const three = talk('Ada: the kitchen', 'Ben: turquoise', 'Cid: chicken');
    const share = () => {
      const words = signalOf(three, 'kitchen chicken', 'the kitchen', 'words') ?? 0;
      return (signalOf(three, 'kitchen chicken', 'chicken', 'neighbours') ?? 0) / words;
    };
    expect(share()).toBeCloseTo(WEIGHTS.before * WEIGHTS.fall, 12);
    three.delete('turquoise');
    expect(share()).toBeCloseTo(WEIGHTS.before, 12);
  });
});

describe('surrounding turns', () => {
  it('distinguish two turns with the same words beyond the reach of neighbours', () => {
    const wedding = ['Ada: tell me of your wedding', 'Ben: it was lovely', ...filler(4), 'Ben: the cake was burnt'];
    const picnic = ['Ada: tell me of your picnic', 'Ben: quite windy', ...filler(4, 'more'), 'Ben: a cake was burnt'];
    const threads = [wedding, picnic].flatMap((lines, n) =>
      lines.map((line) => ({ ...(typeof line === 'string' ? said(line) : line), thread: `thread ${n}` })),
    );
    const table = talk(...threads);
    expect(find(table, 'burnt cake wedding')[0]).toBe('the cake was burnt');
    expect(find(table, 'burnt cake picnic')[0]).toBe('a cake was burnt');
  });

  it('count each word once, at its nearest occurrence', () => {
    const once = talk('Ada: the lighthouse?', 'Ben: well', 'Cid: yes');
    const twice = talk('Ada: the lighthouse?', 'Ben: well', 'Cid: yes', ...filler(20), 'Ada: the lighthouse again');
    const share = (table: RecordTable) => {
      const around = (text: string) => signalOf(table, 'lighthouse', text, 'around') ?? 0;
      return around('well') / around('the lighthouse?');
    };
    expect(share(twice)).toBeCloseTo(share(once), 12);
    expect(share(once)).toBeCloseTo(1 - 1 / WEIGHTS.aroundSteps, 12);
  });

  it('count within a limited distance in the same thread', () => {
    const table = talk('Ada: the lighthouse', ...filler(30), said('Cid: nothing else', { thread: 'other' }));
    const around = ['lighthouse nothing', 'nothing'].map((query) =>
      search(table, query, 100).filter(({ turn }) => turn?.speaker !== 'Ada'),
    );
    const gained = around[0]?.filter(({ id, explanation }) => {
      const alone = around[1]?.find((entry) => entry.id === id)?.explanation?.sum.around ?? Number.NaN;
      return (explanation?.sum.around ?? 0) > alone;
    });
    expect(gained).toHaveLength(WEIGHTS.aroundSteps - 1);
  });
});

describe('speakers', () => {
  const table = talk(said('Ada: I bake bread', { thread: 'a' }), said('Ben: I bake bread daily', { thread: 'b' }), {
    text: 'I bake bread weekly',
    speaker: 'Cid Lovelace',
    thread: 'c',
  });

  it('count more if the query names them', () => {
    expect(find(table, 'What does Ada bake?')[0]).toBe('I bake bread');
    expect(find(table, "What is in Ben's bread?")[0]).toBe('I bake bread daily');
    expect(signalOf(table, 'What does Ada bake?', 'I bake bread', 'speaker')).toBe(WEIGHTS.speaker);
    expect(signalOf(table, 'What does Ada bake?', 'I bake bread daily', 'speaker')).toBe(1);
  });

  it('are recognised by any part of their name', () => {
    for (const query of ["Lovelace's bread", 'bread of Cid', 'CID LOVELACE bread']) {
      expect(find(table, query)[0]).toBe('I bake bread weekly');
    }
    expect(signalOf(table, 'bread of love', 'I bake bread weekly', 'speaker')).toBe(1);
  });

  it('are recognised in any language', () => {
    const german = talk(
      said('Jonas: Ich backe Brot', { thread: 'a' }),
      said('Hermine: Ich backe Brot am liebsten mit Nüssen', { thread: 'b' }),
    );
    expect(find(german, 'Was backt Hermine?')[0]).toBe('Ich backe Brot am liebsten mit Nüssen');
    expect(signalOf(german, 'Welches Brot hat Jonas gebacken?', 'Ich backe Brot', 'speaker')).toBe(WEIGHTS.speaker);
  });

  it('are recognised in the inflected forms of their language', () => {
    const text = 'Я пеку хлеб';
    const russian = talk({ speaker: 'Каролина', text, thread: 'a' }, { speaker: 'Иван', text: 'Хлеб!', thread: 'b' });
    expect(signalOf(russian, 'Какой хлеб у Каролины?', text, 'speaker')).toBe(WEIGHTS.speaker);
  });

  it('named like a role do not count as a rare word', () => {
    const chat = talk(
      ...Array.from({ length: 20 }, (_, n) => said(`user: Please tell me about thing number ${n}`)),
      said('user: I am allergic to peanuts', { thread: 'b' }),
      said('assistant: Noted', { thread: 'b' }),
      said('user: Write a table for the user login', { thread: 'c' }),
      said('assistant: CREATE TABLE user', { thread: 'c' }),
    );
    expect(find(chat, 'user allergic')[0]).toBe('I am allergic to peanuts');
    expect(find(chat, 'What is the user allergic to?')[0]).toBe('I am allergic to peanuts');
  });

  it('are recognised in the first 16,384 UTF-16 units of a query', () => {
    const query = (name: string, length: number) => `bread ${'x '.repeat(length)} ${name}`;
    expect(signalOf(table, query('Ada', 8_000), 'I bake bread', 'speaker')).toBe(WEIGHTS.speaker);
    expect(signalOf(table, query('Ada', 500_000), 'I bake bread', 'speaker')).toBe(1);
  });

  it('count equally if the query names none or all of them', () => {
    const both = talk(said('Ada: I bake bread'), said('Ben: I bake bread daily'));
    for (const query of ['Who bakes bread?', 'Do Ada and Ben bake bread?', 'Does Cid bake bread?']) {
      for (const text of ['I bake bread', 'I bake bread daily']) expect(signalOf(both, query, text, 'speaker')).toBe(1);
    }
  });

  it('are forgotten with their last turn', () => {
    const three = talk(said('Ada: I bake bread'), said('Ben: I bake bread daily'), said('Cid: hello'));
    expect(signalOf(three, 'Do Ada and Ben bake?', 'I bake bread', 'speaker')).toBe(WEIGHTS.speaker);
    three.delete('hello');
    expect(signalOf(three, 'Do Ada and Ben bake?', 'I bake bread', 'speaker')).toBe(1);
  });
});

describe('a search', () => {
  it('weights a question less', () => {
    const table = talk(
      said('Ada: did you plant the tulips?', { thread: 'a' }),
      said('Ben: did you? plant the tulips', { thread: 'b' }),
    );
    expect(signalOf(table, 'tulips', 'did you plant the tulips?', 'asks')).toBe(WEIGHTS.asks);
    expect(signalOf(table, 'tulips', 'did you? plant the tulips', 'asks')).toBe(1);
    expect(find(table, 'tulips')[0]).toBe('did you? plant the tulips');
  });

  it('prefers turns that mention a time if the query asks when', () => {
    const table = talk(
      said('Ada: I planted the tulips with Ben', { thread: 'a' }),
      said('Ada: I planted the tulips yesterday', { thread: 'b' }),
    );
    const text = 'I planted the tulips yesterday';
    expect(find(table, 'When did Ada plant the tulips?')[0]).toBe(text);
    expect(signalOf(table, 'When did Ada plant the tulips?', text, 'when')).toBe(WEIGHTS.when);
    expect(signalOf(table, 'Where did Ada plant the tulips?', text, 'when')).toBe(1);
  });

  it('prefers turns from the time that the query names, or shortly after', () => {
    const table = talk(
      said('Ada: lunch with Ben', { thread: 'a', at: '2023-03-08T10:00:00Z' }),
      said('Ada: lunch with Cid', { thread: 'b', at: '2023-05-08T10:00:00Z' }),
      said('Ada: lunch with Dan', { thread: 'c', at: '2024-05-08T10:00:00Z' }),
    );
    expect(find(table, 'lunch on 8 March')[0]).toBe('lunch with Ben');
    expect(find(table, 'lunch in May 2023')[0]).toBe('lunch with Cid');
    expect(find(table, 'lunch last week')[0]).toBe('lunch with Dan');
    expect(find(table, 'lunch')[0]).toBe('lunch with Dan');
    expect(signalOf(table, 'lunch on March 6th', 'lunch with Ben', 'time')).toBeGreaterThan(1);
    expect(signalOf(table, 'lunch on March 10th', 'lunch with Ben', 'time')).toBe(1);
    expect(signalOf(table, 'lunch', 'lunch with Ben', 'time')).toBe(1);
  });
});

describe('words', () => {
  it('are found in other forms', () => {
    const table = talk(said('Ada: I bought a kayak', { thread: 'a' }), said('Ben: I buried a kayak', { thread: 'b' }));
    expect(find(table, 'Who did buy a kayak?')[0]).toBe('I bought a kayak');
    expect(find(table, 'children')).toEqual([]);
  });

  it('beyond the 31 most valuable ones do not count in surrounding turns', () => {
    const filler = Array.from({ length: 40 }, (_, n) => `Ada: word${n}`);
    const table = talk(
      said('Ada: the zebra?', { thread: 'z' }),
      said('Ben: stripes', { thread: 'z' }),
      ...filler,
      ...filler.map((line) => `${line} again`),
    );
    const many = filler.map((line) => line.slice(5)).join(' ');
    expect(signalOf(table, `${many} zebra`, 'the zebra?', 'around')).toBeGreaterThan(0);
  });

  it('find words for the same thing, which count more than members of a kind', () => {
    const table = talk(
      ...['Ada: my mother came', 'Ada: my nephew came', 'Ada: my mum came'].map((line, n) =>
        said(line, { thread: `${n}` }),
      ),
    );
    expect(find(table, 'Who is the mum?')).toEqual(['my mum came', 'my mother came']);
    const words = (query: string, text: string) => signalOf(table, query, text, 'words') ?? Number.NaN;
    expect(words('mum', 'my mother came')).toBeCloseTo(WEIGHTS.same * words('mother', 'my mother came'), 12);
    expect(words('family', 'my nephew came')).toBeLessThan(words('mum', 'my mother came'));
  });

  it('that name a kind also find its members, with a lower score', () => {
    const table = talk(
      said('Ada: I practise the cello', { thread: 'a' }),
      said('Ben: I practise the speech', { thread: 'b' }),
    );
    expect(find(table, 'Which instrument is it?')).toEqual(['I practise the cello']);
    const both = talk(said('Ada: the cello', { thread: 'a' }), said('Ben: the instrument', { thread: 'b' }));
    expect(find(both, 'instrument')).toEqual(['the instrument', 'the cello']);
    expect(find(both, 'cello')).toEqual(['the cello']);
  });
});

describe('results', () => {
  const lines = Array.from({ length: 300 }, (_, n) => said(`Ada: apple number${n}`, { thread: `thread ${n % 40}` }));
  const table = talk(...lines);

  it('are sorted best first, and newest first if scores are equal', () => {
    const same = talk(said('Ada: apple one', { thread: 'a' }), said('Ada: apple two', { thread: 'b' }));
    expect(find(same, 'apple')).toEqual(['apple two', 'apple one']);
    const scores = search(table, 'apple number7', 50).map(({ score = 0 }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores).toHaveLength(50);
  });

  it('match the filter up to the limit, while excluded turns still lend to others', () => {
    const rules = [{ part: 'metadata' as const, field: 'kept', operator: 'in' as const, value: [true], not: false }];
    const records = lines.map((line, n) => ({ ...recordOf(n + 1, line), metadata: { kept: n % 30 === 1 } }));
    const filtered = tableOf(...records);
    const found = filtered.search({ query: 'apple', limit: 8, rules });
    expect(found).toHaveLength(8);
    for (const { metadata } of found) expect(metadata).toEqual({ kept: true });
    const all = new Map(
      filtered.search({ query: 'apple', limit: 300, rules: [] }).map((entry) => [entry.id, entry.score]),
    );
    for (const { id, score } of found) expect(score).toBe(all.get(id));
  });

  it('exclude scores below minScore', () => {
    const all = table.search({ query: 'apple number7', limit: 20, rules: [] });
    const minScore = all[5]?.score as number;
    expect(table.search({ query: 'apple number7', limit: 20, rules: [], minScore })).toEqual(
      all.filter(({ score = 0 }) => score >= minScore),
    );
    expect(all.length).toBeGreaterThan(6);
  });

  it('are empty for a query without words or with unknown words', () => {
    for (const query of ['?!', 'zebra']) expect(find(table, query)).toEqual([]);
  });

  it('match stop words if the query has nothing else', () => {
    expect(find(talk('Ada: who are you', 'Ben: a friend'), 'who are you')[0]).toBe('who are you');
  });

  it('are found by queries with more words than a number has bits', () => {
    const words = Array.from({ length: 80 }, (_, n) => `word${n}`);
    const long = talk(`Ada: ${words.join(' ')}`, 'Ben: word79', 'Cid: hello');
    expect(find(long, words.join(' '), 2)[0]).toBe(words.join(' '));
    expect(find(long, words.toReversed().join(' '))).toContain('word79');
  });
});

describe('explain', () => {
  it('returns the parts that add up to the score', () => {
    const table = talk(
      said('Ada: which colour is the kitchen?', { at: '2024-05-03T10:00:00Z' }),
      said('Ben: painted it turquoise last Friday', { at: '2024-05-03T10:01:00Z' }),
      said('Ada: I bought a cello', { at: '2024-05-03T10:02:00Z' }),
      ...filler(5),
    );
    const entries = search(table, 'When did Ben paint the kitchen, in May 2024, and which instrument is it?');
    expect(entries).toHaveLength(3);
    for (const { score, explanation } of entries) {
      const sum = Object.values(explanation?.sum ?? {}).reduce((a, b) => a + b, 0);
      const factor = Object.values(explanation?.factors ?? {}).reduce((a, b) => a * b, 1);
      expect(sum * factor).toBeCloseTo(score as number, 10);
    }
    const { sum, factors } = entries.find(({ content }) => content.includes('turquoise'))?.explanation ?? {};
    for (const signal of ['words', 'neighbours', 'around']) expect(sum?.[signal]).toBeGreaterThan(0);
    for (const signal of ['speaker', 'when', 'time']) expect(factors?.[signal]).toBeGreaterThan(1);
    expect(factors?.asks).toBe(1);
  });

  it('is off by default', () => {
    const [entry] = talk('Ada: apple').search({ query: 'apple', limit: 1, rules: [] });
    expect(entry).toBeDefined();
    expect(entry).not.toHaveProperty('explanation');
  });

  it('explains a record without a turn by its words', () => {
    const { turn, ...record } = recordOf(1, { text: 'apple' });
    const [entry] = search(tableOf(record), 'apple');
    const { words = 0, around = 0, neighbours } = entry?.explanation?.sum ?? {};
    expect(words + around).toBe(entry?.score);
    expect(neighbours).toBe(0);
  });
});
