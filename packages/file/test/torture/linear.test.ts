// @module-tag nightly: where a share of the rounds run, the fuzzer's fixed inputs
import { readFileSync, writeFileSync } from 'node:fs';
import { formatNamespace, isMemoryError, messageText, parseNamespace } from '@keepsake/core';
import { checkId, LIMITS, readCursor } from '@keepsake/core/adapter';
import { analyse, type Language } from '@keepsake/search';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { Snapshot } from './logs.ts';
import { places } from './places.ts';

/*
 * Passes hostile texts of a million characters to everything that matches patterns or scans text. Four times the text
 * may take four times as long. If it takes far longer, some pattern backtracks.
 */

const { place } = places();
const LENGTH = rounds(1_000_000);
/** The maximum ratio for four times the text. Quadratic time would be a ratio of 16. */
const MAX_RATIO = 10;
/** Shorter times are harmless, and their ratio is noise. */
const NEGLIGIBLE_MS = 40;

const repeated = (text: string) => (length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const ending = (text: string, end: string) => (length: number) => repeated(text)(length - end.length) + end;

/** Generators of texts; the length is in UTF-16 code units. */
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
  'word endings': repeated('nationalizationalfulnessingedly'),
  'combining marks': repeated('\u0301'),
  'marks of many combining classes': repeated('\u0315\u0300\u0316\u035c\u0334'),
  'letters with 40 marks': repeated(`a${'\u0316\u0300'.repeat(20)}`),
  'voicing marks': repeated('\uff9e'),
  'characters that expand to 18': repeated('\ufdfa'),
  'dotted capitals': repeated('\u0130'),
  'sharp s': repeated('ß'),
  jamo: repeated('\u1100\u1161\u11a8'),
  'soft hyphens': repeated('a\u00ad'),
  'zero-width characters': repeated('\u200b\u200d'),
  'direction overrides': repeated('\u202e'),
  Chinese: repeated('漢字仮名'),
  Japanese: repeated('すもももももももものうち'),
  Thai: repeated('กรุงเทพมหานคร'),
  Khmer: repeated('ភាសាខ្មែរ'),
  emoji: repeated('💡'),
  'joined emoji': repeated('👩‍👩‍👧‍👦'),
  'lone surrogates': repeated('\ud800'),
  dates: repeated('2026-11-21T08:00:00.'),
  'a date with endless digits': (length) => `2026-11-21T08:00:00.${'0'.repeat(length - 20)}`,
  'a date with endless digits and a wrong end': (length) => `2026-11-21T08:00:00.${'0'.repeat(length - 21)}!`,
  'a cursor of brackets': (length) => Buffer.from('['.repeat(Math.floor((length * 3) / 4))).toString('base64url'),
  'a cursor of a list': (length) =>
    Buffer.from(`["sessions"${',1'.repeat(Math.floor((length * 3) / 8) - 8)}]`).toString('base64url'),
};

/** The longest prefix of a text that fits in `bytes` bytes. */
function cut(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, bytes).toString();
  return cut.endsWith('\ufffd') && !text.startsWith(cut) ? cut.slice(0, -1) : cut;
}

type Use = (text: string) => unknown;

/** Texts for language-specific code: stemmers and the rules for apostrophes and numbers. */
const WORDS = [
  '"a\'"',
  '"l\'"',
  '"qu\'"',
  '"\'s "',
  '"1.000,"',
  'word endings',
  'words of 63 letters',
  'letters with 40 marks',
];

/** Texts that JSON escapes, or that grow when they are encoded. */
const ESCAPED = [
  '"\\""',
  '"\\\\"',
  '"\\u0000"',
  'lone surrogates',
  'emoji',
  'zero-width characters',
  '"%"',
  '"/"',
  '"a"',
];

const CURSORS = ['a cursor of brackets', 'a cursor of a list', '"a"', '"-"', '"="', '"1-"'];

interface Subject {
  readonly use: Use;
  /** Names of texts. @default all */
  readonly only?: readonly string[];
}

/** Everything that reads text. Reading a text and then refusing it counts too. */
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
    'search, the bound of a filter': (text) => store.search('heron', { filter: { tag: { gt: text } } }),
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

/** The CPU time of one use in milliseconds, which does not depend on other processes. */
async function cpuTimeOf(use: Use, text: string): Promise<number> {
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

/** Compares the CPU time of a text with that of a quarter of it. Fails if it grows far faster than the text. */
async function expectLinear(
  use: Use,
  text: (length: number) => string,
  name: string,
): Promise<Pick<Worst, 'ms' | 'ratio'>> {
  // Shorter texts first: if they fail, the whole text would take forever.
  await compareTimes(use, text, LENGTH / 16, name);
  await compareTimes(use, text, LENGTH / 4, name);
  return compareTimes(use, text, LENGTH, name);
}

async function compareTimes(use: Use, text: (length: number) => string, length: number, name: string) {
  const [small, large] = [text(length / 4), text(length)];
  let least = await cpuTimeOf(use, large);
  if (least < NEGLIGIBLE_MS) return { ms: least, ratio: 0 };
  // Takes the minimum of several rounds, because garbage collection and compilation slow some of them down.
  let quarter = Infinity;
  for (let round = 0; round < (least < 1000 ? 5 : 2); round++) {
    quarter = Math.min(quarter, await cpuTimeOf(use, small));
    if (least <= MAX_RATIO * quarter) break;
    least = Math.min(least, await cpuTimeOf(use, large));
  }
  expect(least, `${name}: ${least} ms for ${length} characters, ${quarter} ms for a quarter`).toBeLessThan(
    Math.max(NEGLIGIBLE_MS, MAX_RATIO * quarter),
  );
  return { ms: least, ratio: least / quarter };
}

it('reading hostile text takes time linear in its length', async (context) => {
  const all = subjects(place());
  const worst = new Map<string, Worst>();
  let runs = 0;
  for (const [subject, { use, only = Object.keys(texts) }] of Object.entries(all)) {
    for (const name of only) {
      const text = texts[name];
      if (text === undefined) throw new Error(`No text is named ${name}.`);
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
    `${count(LENGTH)} characters of hostile text: ${Object.keys(texts).length} texts for ${Object.keys(all).length} readers of text, ${count(runs)} pairs: 4x the text takes at most ${most.toFixed(1)}x the time; the slowest text of each reader:`,
    [...worst].map(([subject, { ms, text }]) => `${ms.toFixed(0).padStart(4)} ms  ${subject}: ${text}`),
  );
});

const line = (text: string) => (length: number) => `\n${repeated(text)(length - 2)}\n`;

/** Appends bytes to a log and reads it. */
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

it('reading hostile bytes in a log takes time linear in their number', async (context) => {
  const logs: Record<string, (length: number) => string> = {
    'line feeds': line('\n'),
    'one line without a line feed': (length) => repeated('a')(length),
    digits: line('0'),
    'line prefixes': line('00000000 9 '),
    'line prefixes, one per line': line('00000000 9 {}\n'),
    'line prefixes with a huge length': line('00000000 9999999999 {}\n'),
    'torn lines': line('#torn\n'),
    hashes: line('#'),
    spaces: line(' \n'),
    brackets: line('{['),
    NUL: line('\0'),
    'multi-byte characters': line('€\n'),
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
    `${count(LENGTH)} hostile bytes in a log, ${figures.length} kinds: all valid lines are read in linear time:`,
    figures,
  );
});

it('reading log lines that claim to be as long as half of the log takes linear time', async (context) => {
  const read = logReader();
  await read('');
  const claiming = (length: number) => line(`00000000 ${length / 2} {}\n`)(length);
  const { ms } = await expectLinear(read, claiming, 'log lines that claim half of the log');
  show(
    context,
    26,
    `${count(LENGTH)} bytes of log lines that each claim to be as long as half of the log: ${ms.toFixed(0)} ms, linear`,
  );
});
