import { readFileSync, writeFileSync } from 'node:fs';
import {
  checkId,
  formatNamespace,
  isMemoryError,
  LIMITS,
  messageText,
  parseNamespace,
  readCursor,
} from '@keepsake/core';
import { analyse, type Language } from '@keepsake/search';
import { count, show } from '@keepsake/testing/torture/figures';
import { rounds } from '@keepsake/testing/torture/share';
import { expect, it } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { Snapshot } from './logs.ts';
import { places } from './places.ts';

/*
 * Hostile text of a million signs against everything that has a pattern or reads text sign by sign. Four times the text may cost four
 * times the work; where it costs far more, some pattern goes back and forth.
 */

const { place } = places();
const LENGTH = rounds(1_000_000);
/** Quadratic work would be 16 times as much. */
const MOST = 10;
/** Below that, how much more it is can't be told from noise, and does no harm. */
const NOTHING_MS = 40;

const repeated = (text: string) => (length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const ending = (text: string, end: string) => (length: number) => repeated(text)(length - end.length) + end;

/** Texts of any length, in UTF-16 units. */
const texts: Record<string, (length: number) => string> = {
  ...Object.fromEntries(
    [...'a1 -.,:/\'+#%*?[({"\\\n\0_=&|!~^$@A'].map((sign) => [JSON.stringify(sign), repeated(sign)]),
  ),
  ...Object.fromEntries(
    [
      "a'",
      "l'",
      "qu'",
      "'s ",
      'a.',
      'a-',
      '1,',
      '1.',
      '1,000',
      '1.000,',
      '1-',
      '1:',
      '1/',
      'c+',
      'c#',
      'a ',
      '%41',
      'a:',
      '</',
      '\r\n',
    ].map((part) => [JSON.stringify(part), repeated(part)]),
  ),
  'digits, then a letter': ending('1', 'x'),
  'groups of digits, then a letter': ending('1,000,', 'x'),
  'initials, then a digit': ending('a.', '1'),
  'words of 63 letters': repeated(`${'x'.repeat(63)} `),
  'endings of words': repeated('nationalizationalfulnessingedly'),
  'combining marks': repeated('\u0301'),
  'marks of many classes': repeated('\u0315\u0300\u0316\u035c\u0334'),
  'letters with 40 marks': repeated(`a${'\u0316\u0300'.repeat(20)}`),
  'voicing marks': repeated('\uff9e'),
  'signs that become 18': repeated('\ufdfa'),
  'capitals with dots': repeated('\u0130'),
  'sharp s': repeated('ß'),
  jamo: repeated('\u1100\u1161\u11a8'),
  'soft hyphens': repeated('a\u00ad'),
  'zero-width signs': repeated('\u200b\u200d'),
  'turns of direction': repeated('\u202e'),
  Chinese: repeated('漢字仮名'),
  Japanese: repeated('すもももももももものうち'),
  Thai: repeated('กรุงเทพมหานคร'),
  Khmer: repeated('ភាសាខ្មែរ'),
  emoji: repeated('💡'),
  'joined emoji': repeated('👩‍👩‍👧‍👦'),
  'lone surrogates': repeated('\ud800'),
  dates: repeated('2026-11-21T08:00:00.'),
  'a date without end': (length) => `2026-11-21T08:00:00.${'0'.repeat(length - 20)}`,
  'a date that nearly ends': (length) => `2026-11-21T08:00:00.${'0'.repeat(length - 21)}!`,
  'a cursor of brackets': (length) => Buffer.from('['.repeat(Math.floor((length * 3) / 4))).toString('base64url'),
  'a cursor of a list': (length) =>
    Buffer.from(`["sessions"${',1'.repeat(Math.floor((length * 3) / 8) - 8)}]`).toString('base64url'),
};

/** The longest beginning of a text that takes no more than so many bytes. */
function cut(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, bytes).toString();
  return cut.endsWith('\ufffd') && !text.startsWith(cut) ? cut.slice(0, -1) : cut;
}

type Use = (text: string) => unknown;

/** Texts that differ in what a stemmer or the rules for apostrophes and numbers make of them, which are of a language. */
const WORDS = [
  '"a\'"',
  '"l\'"',
  '"qu\'"',
  '"\'s "',
  '"1.000,"',
  'endings of words',
  'words of 63 letters',
  'letters with 40 marks',
];

/** Texts that JSON escapes, or that grow. */
const ESCAPED = ['"\\""', '"\\\\"', '"\\u0000"', 'lone surrogates', 'emoji', 'zero-width signs', '"%"', '"/"', '"a"'];

const CURSORS = ['a cursor of brackets', 'a cursor of a list', '"a"', '"-"', '"="', '"1-"'];

interface Subject {
  readonly use: Use;
  /** Names of texts; all where it is missing. */
  readonly only?: readonly string[];
}

/** What looks at text, and how to have it look; what it refuses, it has looked at. */
function subjects(directory: string): Record<string, Subject> {
  const store = new FileStore({ directory, name: 'memory', durability: 'os' });
  const sessions = new FileSessionStore({ directory });
  const others: readonly Language[] = ['de', 'es', 'fr', 'it', 'nl', 'pt', 'ru', 'none'];
  const analysing: Record<string, Use> = {
    ...Object.fromEntries(
      others.map((language): [string, Use] => [`analyse, ${language}`, (text) => analyse(text, { language })]),
    ),
    'search, the text': (text) => store.search(text),
    'put, the content': async (text) => {
      await store.within(['content']).put({ id: 'one', content: cut(text, LIMITS.contentBytes) });
    },
  };
  const storing: Record<string, Use> = {
    'put, the content, not indexed': (text) =>
      store.within(['content']).put({ id: 'two', content: cut(text, LIMITS.contentBytes), index: false }),
    'put, the metadata': (text) => store.put({ id: 'one', content: 'heron', metadata: { text } }),
    'addItems, a text and a key': (text) =>
      new FileSession({ directory, sessionId: 'chat', durability: 'os' }).replaceHistoryWithCompaction([
        { text, [text]: 1 },
      ]),
    formatNamespace: (text) =>
      formatNamespace(
        text
          .toWellFormed()
          .replaceAll('\0', ' ')
          .match(/[\s\S]{1,250}/gu) ?? [],
      ),
  };
  const paging: Record<string, Use> = {
    'list of records, the cursor': (text) => store.list({ cursor: text }),
    'list of sessions, the cursor': (text) => sessions.list({ cursor: text }),
  };
  const reading: Record<string, Use> = {
    'analyse, en': (text) => analyse(text, { language: 'en' }),
    'search, the name of a filter field': (text) => store.search('heron', { filter: { [text]: 1 } }),
    'search, the value of a filter': (text) => store.search('heron', { filter: { tag: text } }),
    'search, the border of a filter': (text) => store.search('heron', { filter: { tag: { gt: text } } }),
    'search, a filter of time': (text) => store.search('heron', { filter: { createdAt: { lte: text } } }),
    readCursor: (text) => readCursor(text, 'sessions', ['string']),
    'put, the time': (text) => store.put({ id: 'one', content: 'heron', createdAt: text }),
    'put, the id': (text) => store.put({ id: text, content: 'heron' }),
    'within, a segment': (text) => store.within([text]),
    'open, the id': (text) => sessions.open(text),
    checkId: (text) => checkId(text, 'id'),
    parseNamespace: (text) => parseNamespace(text),
    messageText: (text) => messageText({ role: 'user', content: [{ text }, { text }] }),
  };
  return {
    ...withTexts(reading),
    ...withTexts(analysing, WORDS),
    ...withTexts(storing, ESCAPED),
    ...withTexts(paging, CURSORS),
  };
}

function withTexts(uses: Record<string, Use>, only?: readonly string[]): Record<string, Subject> {
  return Object.fromEntries(
    Object.entries(uses).map(([name, use]) => [name, only === undefined ? { use } : { use, only }]),
  );
}

/** The work of one use, as time of the processor: other processes make no difference. */
async function workOf(use: Use, text: string): Promise<number> {
  const start = process.cpuUsage();
  try {
    await use(text);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

interface Worst {
  ms: number;
  text: string;
  ratio: number;
}

/** Compares the work of a text with that of a quarter of it; fails where it grows far faster than the text. */
async function expectLinear(
  use: Use,
  text: (length: number) => string,
  name: string,
): Promise<Pick<Worst, 'ms' | 'ratio'>> {
  // With less first: where that takes too long, the whole would take for ever.
  await compareWork(use, text, LENGTH / 16, name);
  await compareWork(use, text, LENGTH / 4, name);
  return compareWork(use, text, LENGTH, name);
}

async function compareWork(use: Use, text: (length: number) => string, length: number, name: string) {
  const [small, large] = [text(length / 4), text(length)];
  let least = await workOf(use, large);
  if (least < NOTHING_MS) return { ms: least, ratio: 0 };
  // Now and then memory is cleared up in one of them, or code is compiled: the least work of some is what it takes.
  let quarter = Infinity;
  for (let round = 0; round < (least < 1000 ? 5 : 2); round++) {
    quarter = Math.min(quarter, await workOf(use, small));
    if (least <= MOST * quarter) break;
    least = Math.min(least, await workOf(use, large));
  }
  expect(least, `${name}: ${least} ms for ${length} signs, ${quarter} ms for a quarter`).toBeLessThan(
    Math.max(NOTHING_MS, MOST * quarter),
  );
  return { ms: least, ratio: least / quarter };
}

it('hostile text costs no more than its length', async (context) => {
  const all = subjects(place());
  const worst = new Map<string, Worst>();
  let runs = 0;
  for (const [subject, { use, only = Object.keys(texts) }] of Object.entries(all)) {
    for (const name of only) {
      const text = texts[name];
      if (text === undefined) throw new Error(`There is no text ${name}.`);
      runs++;
      const { ms, ratio } = await expectLinear(use, text, `${subject}, ${name}`);
      const known = worst.get(subject);
      worst.set(subject, {
        ...(known !== undefined && known.ms > ms ? known : { ms, text: name }),
        ratio: Math.max(known?.ratio ?? 0, ratio),
      });
    }
  }
  const most = Math.max(...[...worst.values()].map(({ ratio }) => ratio));
  show(
    context,
    26,
    `${count(LENGTH)} signs of hostile text: ${Object.keys(texts).length} texts against ${Object.keys(all).length} readers of text, ${count(runs)} pairs: 4x the text costs ${most.toFixed(1)}x the work at most; the worst of each reader:`,
    [...worst].map(([subject, { ms, text }]) => `${ms.toFixed(0).padStart(4)} ms  ${subject}: ${text}`),
  );
});

const line = (text: string) => (length: number) => `\n${repeated(text)(length - 2)}\n`;

/** Puts bytes at the end of a log, and reads it. */
function logReader(): Use {
  const directory = place();
  const open = () => new FileSession({ directory, sessionId: 'chat', onCorrupt() {} });
  let before: Buffer | undefined;
  return async (bytes) => {
    if (before === undefined) await open().addItems([{ text: 'kept' }]);
    const { log } = new Snapshot(directory);
    before ??= readFileSync(log);
    writeFileSync(log, Buffer.concat([before, Buffer.from(bytes)]));
    expect(await open().getItems()).toEqual([{ text: 'kept' }]);
  };
}

it('hostile bytes in a log cost no more than their length', async (context) => {
  const logs: Record<string, (length: number) => string> = {
    'line feeds': line('\n'),
    'one line without end': (length) => repeated('a')(length),
    digits: line('0'),
    'heads of lines': line('00000000 9 '),
    'heads of lines, each in its line': line('00000000 9 {}\n'),
    'heads that promise much': line('00000000 9999999999 {}\n'),
    'torn lines': line('#torn\n'),
    hashes: line('#'),
    spaces: line(' \n'),
    brackets: line('{['),
    NUL: line('\0'),
    'letters of several bytes': line('€\n'),
  };
  const read = logReader();
  await read('');
  const figures: string[] = [];
  for (const [name, text] of Object.entries(logs)) {
    const { ms } = await expectLinear(read, text, `a log of ${name}`);
    figures.push(`${ms.toFixed(0).padStart(4)} ms  a log of ${name}`);
  }
  show(
    context,
    26,
    `${count(LENGTH)} hostile bytes in a log, ${figures.length} kinds: what is sound is read, the work is linear:`,
    figures,
  );
});

it('lines of a log that promise to be as long as the rest of it cost no more than their length', async (context) => {
  const read = logReader();
  await read('');
  const promising = (length: number) => line(`00000000 ${length / 2} {}\n`)(length);
  const { ms } = await expectLinear(read, promising, 'a log of lines that promise half of it');
  show(
    context,
    26,
    `${count(LENGTH)} bytes of lines in a log that each promise to be as long as half of it: ${ms.toFixed(0)} ms, linear`,
  );
});
