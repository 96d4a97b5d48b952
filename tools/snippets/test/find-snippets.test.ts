import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDocuments } from '../src/find-documents.ts';
import { findSnippets } from '../src/find-snippets.ts';

const snippetsOf = (text: string) => findSnippets({ path: 'README.md', text });

describe('findSnippets', () => {
  it('finds TypeScript fences and no others', () => {
    const text = ['ts', 'typescript', 'TS', 'sh', 'json', '', 'js']
      .map((lang) => `\`\`\`${lang}\n${lang}\n\`\`\``)
      .join('\n');

    expect(snippetsOf(text)).toEqual([
      { path: 'README.md', line: 2, code: 'ts' },
      { path: 'README.md', line: 5, code: 'typescript' },
      { path: 'README.md', line: 8, code: 'TS' },
    ]);
  });

  it('has no way to opt out', () => {
    for (const meta of ['no-check', 'title="a.ts"', '{1,3}', '// @ts-nocheck']) {
      expect(snippetsOf(`\`\`\`ts ${meta}\ncode\n\`\`\``)).toMatchObject([{ code: 'code' }]);
    }
  });

  it('finds fences in lists and quotes, longer fences and fences of tildes', () => {
    const text =
      '1. Step\n\n   ```ts\n   one\n   ```\n\n> ```ts\n> two\n> ```\n\n````ts\n```\n````\n\n~~~ts\nfour\n~~~';

    expect(snippetsOf(text)).toMatchObject([
      { line: 4, code: 'one' },
      { line: 8, code: 'two' },
      { line: 12, code: '```' },
      { line: 16, code: 'four' },
    ]);
  });

  it('reads the file that a fence shows', () => {
    expect(snippetsOf('```ts file=src/index.ts\n1\n```')).toMatchObject([{ file: 'src/index.ts' }]);
    const text = '```ts file=../tools/a.ts\n1\n```';
    expect(findSnippets({ path: 'docs/guide.md', text })).toMatchObject([{ file: 'tools/a.ts' }]);
  });

  it('ignores a fence inside another', () => {
    expect(snippetsOf('````md\n```ts\ncode\n```\n````')).toEqual([]);
  });
});

describe('findDocuments', () => {
  it('finds READMEs and guides, but not what is installed or built', async () => {
    const root = await mkdtemp(join(tmpdir(), 'keepsake-snippets-'));
    const wanted = [
      'CONTRIBUTING.md',
      'README.md',
      'docs/deep/guide.md',
      'examples/one/README.md',
      'packages/core/README.md',
    ];
    const unwanted = [
      'node_modules/a/README.md',
      'packages/core/node_modules/a/README.md',
      'packages/core/dist/README.md',
    ];
    try {
      for (const path of [...wanted, ...unwanted, 'packages/core/CHANGELOG.md']) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), path);
      }

      expect(findDocuments(root)).toEqual(wanted.map((path) => ({ path, text: path })));
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
