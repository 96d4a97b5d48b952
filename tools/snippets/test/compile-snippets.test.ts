import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileSnippets } from '../src/compile-snippets.ts';
import { findSnippets } from '../src/find-snippets.ts';

const root = join(import.meta.dirname, '../../..');

function errorsOf(text: string, path = 'docs/guide.md'): string[] {
  return compileSnippets(findSnippets({ path, text }), root).flat();
}

describe('compileSnippets', () => {
  it('accepts what a reader can write', () => {
    const text = [
      'Text.',
      '```ts',
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
      '```',
    ].join('\n');

    expect(errorsOf(text)).toEqual([]);
  });

  it('names the line and column of the document where a snippet is wrong', () => {
    const text = '# Guide\n\nText.\n\n```ts\nconst one = 1;\nconst two: string = one;\n```\n';

    expect(errorsOf(text)).toEqual([
      "docs/guide.md:7:7 - error TS2322: Type 'number' is not assignable to type 'string'.",
    ]);
  });

  it('finds an export that does not exist', () => {
    const text = "```typescript\nimport { NoSuchStore } from '@keepsake/core';\nnew NoSuchStore();\n```";

    expect(errorsOf(text, 'packages/core/README.md')).toEqual([
      expect.stringMatching(/^packages\/core\/README\.md:2:10 - error TS2305: .*'NoSuchStore'/),
    ]);
  });

  it('finds declarations that are a syntax error on Node 22', () => {
    const text = [
      '```ts',
      'declare const open: () => Disposable & AsyncDisposable;',
      'using one = open();',
      'export async function run() {',
      '  await using other = open();',
      '  const plain = [one, other];',
      '  return plain;',
      '}',
      '```',
    ].join('\n');

    expect(errorsOf(text)).toEqual([
      'docs/guide.md:3:1 - error: Node 22 has no `using`. Call `close()` instead.',
      'docs/guide.md:5:3 - error: Node 22 has no `using`. Call `close()` instead.',
    ]);
  });

  it('finds a package that does not exist', () => {
    expect(errorsOf("```ts\nimport '@keepsake/no-such-package';\n```")).toEqual([
      expect.stringMatching(/^docs\/guide\.md:2:8 - error TS\d+: .*@keepsake\/no-such-package/),
    ]);
  });

  it('holds snippets to the strict settings of the repository', () => {
    const text = ['```ts', 'const list = [1];', 'export const first: number = list[0];', '```'].join('\n');

    expect(errorsOf(text)).toEqual([expect.stringMatching(/^docs\/guide\.md:3:14 - error TS2322: /)]);
  });

  it('reports syntax errors', () => {
    expect(errorsOf('```ts\nconst one = ;\n```')).toEqual([
      expect.stringMatching(/^docs\/guide\.md:2:13 - error TS1109: /),
    ]);
  });

  it('treats each snippet as a separate module', () => {
    const text = '```ts\nconst name = 1;\n```\n\n```ts\nconst name = 2;\n```\n\n```ts\nconsole.log(one);\n```';

    expect(errorsOf(text)).toEqual([expect.stringMatching(/^docs\/guide\.md:10:13 - error TS2304: .*'one'/)]);
  });

  describe('a snippet that shows a file', () => {
    const file = 'tools/snippets/src/find-documents.ts';
    const lines = readFileSync(join(root, file), 'utf8').trimEnd().split('\n');
    const errorsOfCopy = (copy: readonly string[], name = file) =>
      errorsOf(`\`\`\`ts file=../${name}\n${copy.join('\n')}\n\`\`\``);

    it('is compiled in the place of the file', () => {
      const relative = [
        "import { findDocuments } from './find-documents.ts';",
        "export const all = findDocuments('.');",
      ];

      expect(errorsOfCopy(relative, 'tools/snippets/src/find-snippets.ts')).toEqual([
        'docs/guide.md:2 - error: differs from line 1 of tools/snippets/src/find-snippets.ts.',
      ]);
    });

    it('must be identical to the whole file', () => {
      expect(errorsOfCopy(lines)).toEqual([]);
      expect(errorsOfCopy(lines.with(3, '/** Another comment. */'))).toEqual([
        `docs/guide.md:5 - error: differs from line 4 of ${file}.`,
      ]);
      expect(errorsOfCopy(lines.slice(0, 1))).toContain(`docs/guide.md:3 - error: differs from line 2 of ${file}.`);
      expect(errorsOfCopy([...lines, '// More.'])).toEqual([
        `docs/guide.md:${lines.length + 2} - error: differs from line ${lines.length + 1} of ${file}.`,
      ]);
    });

    it('requires the file', () => {
      expect(errorsOfCopy(['export {};'], 'tools/none.ts')).toEqual([
        'docs/guide.md:2 - error: tools/none.ts does not exist.',
      ]);
    });
  });
});
