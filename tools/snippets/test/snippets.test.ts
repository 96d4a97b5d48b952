import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileSnippets } from '../src/compile-snippets.ts';
import { findDocuments } from '../src/find-documents.ts';
import { findSnippets } from '../src/find-snippets.ts';

const root = join(import.meta.dirname, '../../..');
const SOURCES = 'tools/snippets/src';

/** A document with fences, and the errors that it must have. */
interface Case {
  readonly text: string;
  readonly path?: string;
  readonly errors: readonly unknown[];
}

const fence = (...lines: string[]) => ['```ts', ...lines, '```'].join('\n');
const fenceOf = (file: string, lines: readonly string[]) => [`\`\`\`ts file=../${file}`, ...lines, '```'].join('\n');
const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').trimEnd().split('\n');

/** Each shows another file, because all are compiled together. */
const [whole, changed, first, more] = [
  `${SOURCES}/find-documents.ts`,
  `${SOURCES}/find-using.ts`,
  `${SOURCES}/compile-snippets.ts`,
  'tools/snippets/vitest.config.ts',
] as const;

const CASES: Readonly<Record<string, Case>> = {
  'accepts what a reader can write': {
    text: fence(
      "import { readFile } from 'node:fs/promises';",
      "import type { Session } from '@keepsake/core';",
      "import { z } from 'zod';",
      "import { Agent } from '@openai/agents';",
      "import { Agent as StrandsAgent } from '@strands-agents/sdk';",
      "const text = await readFile('notes.txt', 'utf8');",
      'export const all = [text, z.string(), Agent, StrandsAgent] satisfies unknown[];',
      'export async function idOf(session: Session) {',
      '  return await session.getSessionId();',
      '}',
    ),
    errors: [],
  },
  'names the line and column of the document where a snippet is wrong': {
    text: `# Guide\n\nText.\n\n${fence('const one = 1;', "const two = 'ß🦩', three: string = one;")}\n`,
    errors: [":7:20 - error TS2322: Type 'number' is not assignable to type 'string'."],
  },
  'shows why a value is wrong': {
    text: fence('const one: { two: string } = { two: 1 } as { two: number };'),
    errors: [
      expect.stringMatching(/^:2:7 - error TS2322: .*\n {2}Types of property 'two' are incompatible\.\n {4}Type/),
    ],
  },
  'finds an export that does not exist': {
    text: fence("import { NoSuchStore } from '@keepsake/core';", 'new NoSuchStore();'),
    path: 'packages/core/case.md',
    errors: [expect.stringMatching(/^:2:10 - error TS2305: .*'NoSuchStore'/)],
  },
  'finds declarations that are a syntax error on Node 22': {
    text: fence(
      'declare const open: () => Disposable & AsyncDisposable;',
      'using one = open();',
      'export async function run() {',
      '  await using other = open();',
      '  const plain = [one, other];',
      '  return plain;',
      '}',
    ),
    errors: [
      ':3:1 - error: Node 22 has no `using`. Call `close()` instead.',
      ':5:3 - error: Node 22 has no `using`. Call `close()` instead.',
    ],
  },
  'finds a package that does not exist': {
    text: fence("import '@keepsake/no-such-package';"),
    errors: [expect.stringMatching(/^:2:8 - error TS\d+: .*@keepsake\/no-such-package/)],
  },
  'holds snippets to the strict settings of the repository': {
    text: fence('const list = [1];', 'export const first: number = list[0];'),
    errors: [expect.stringMatching(/^:3:14 - error TS2322: /)],
  },
  'reports syntax errors': {
    text: fence('const one = ;'),
    errors: [expect.stringMatching(/^:2:13 - error TS1109: /)],
  },
  'treats each snippet as a separate module': {
    text: [fence('const name = 1;'), fence('const name = 2;'), fence('console.log(one);')].join('\n\n'),
    errors: [expect.stringMatching(/^:10:13 - error TS2304: .*'one'/)],
  },
  'compiles a snippet that shows a file in the place of the file': {
    text: fenceOf(`${SOURCES}/find-snippets.ts`, [
      "import { findDocuments } from './find-documents.ts';",
      "export const all = findDocuments('.');",
    ]),
    errors: [`:2 - error: differs from line 1 of ${SOURCES}/find-snippets.ts.`],
  },
  'accepts a snippet that is identical to its file': { text: fenceOf(whole, linesOf(whole)), errors: [] },
  'finds a line that differs from the file': {
    text: fenceOf(changed, linesOf(changed).with(2, '/** Another comment. */')),
    errors: [`:4 - error: differs from line 3 of ${changed}.`],
  },
  'finds lines that are missing': {
    text: fenceOf(first, linesOf(first).slice(0, 1)),
    errors: [`:3 - error: differs from line 2 of ${first}.`],
  },
  'finds lines that the file does not have': {
    text: fenceOf(more, [...linesOf(more), '// More.']),
    errors: [`:${linesOf(more).length + 2} - error: differs from line ${linesOf(more).length + 1} of ${more}.`],
  },
  'requires the file': {
    text: fenceOf('tools/none.ts', ['export {};']),
    errors: [':2 - error: tools/none.ts does not exist.'],
  },
};

const cases = Object.entries(CASES).map(([title, { path = `docs/case-${title.replaceAll(' ', '-')}.md`, ...one }]) => {
  return { title, path, snippets: findSnippets({ path, text: one.text }), errors: one.errors };
});
const snippets = findDocuments(root).flatMap(findSnippets);
const all = [...snippets, ...cases.flatMap((one) => one.snippets)];
// Together, because the compiler reads the packages anew each time.
const errors = compileSnippets(all, root);
const errorsOf = (snippet: (typeof all)[number]) => errors[all.indexOf(snippet)] ?? ['It was not compiled.'];

describe('every TypeScript snippet compiles', () => {
  it('and there is at least one snippet', () => {
    expect(snippets).not.toEqual([]);
  });

  it.each(snippets.map((snippet) => ({ at: `${snippet.path}:${snippet.line}`, snippet })))('$at', ({ snippet }) => {
    expect(errorsOf(snippet).join('\n')).toBe('');
  });
});

describe('compileSnippets', () => {
  it.each(cases)('$title', (one) => {
    const found = one.snippets.flatMap(errorsOf);
    expect(found.every((error) => error.startsWith(one.path))).toBe(true);
    expect(found.map((error) => error.slice(one.path.length))).toEqual(one.errors);
  });
});
