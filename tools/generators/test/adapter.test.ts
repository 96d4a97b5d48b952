// @module-tag nightly: tests a generated package in a copy of the workspace.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileSnippets, findSnippets } from '@keepsake/snippets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkspaceCopy } from './workspace-copy.ts';

const LONG = { timeout: 300_000 };

const workspace = new WorkspaceCopy();
const read = (path: string) => readFileSync(join(workspace.root, path), 'utf8');
const generate = (...args: string[]) => workspace.run('nx', ['g', '@keepsake/tools:adapter', ...args]);

beforeAll(() => workspace.fill());
afterAll(() => workspace.remove());

describe('nx g @keepsake/tools:adapter', LONG, () => {
  it.each([
    ['My_Backend', 'Use kebab-case that starts with a letter'],
    ['../mongo', 'Use kebab-case that starts with a letter'],
    ['3d-', 'Use kebab-case that starts with a letter'],
    ['core', 'packages/core already exists'],
    ['snippets', '@keepsake/snippets is already the name of tools/snippets'],
  ])('refuses the name %s and writes nothing', async (name, why) => {
    const before = workspace.files();
    await expect(generate(name)).rejects.toThrow(why);
    expect(workspace.files()).toEqual(before);
  });

  it('writes nothing in a dry run', async () => {
    const before = workspace.files();
    expect(await generate('my-backend', '--dry-run')).toContain('CREATE packages/my-backend/src/my-backend-store.ts');
    expect(workspace.files()).toEqual(before);
  });

  describe('creates a package', LONG, () => {
    beforeAll(async () => {
      await generate('my-backend');
    }, LONG.timeout);

    it('with all files of a package, under its name', () => {
      const made = workspace.files().filter((path) => path.includes('my-backend'));
      expect(made.filter((path) => /\.\w+$|LICENSE/.test(path))).toEqual([
        '.changeset/first-my-backend.md',
        ...[
          'LICENSE',
          'README.md',
          'package.json',
          'src/connection.ts',
          'src/index.ts',
          'src/my-backend-session-store.ts',
          'src/my-backend-session.ts',
          'src/my-backend-store.ts',
          'src/records.ts',
          'src/schema.ts',
          'src/session-rows.ts',
          'test/children/write.ts',
          'test/closing.test.ts',
          'test/cursor.test.ts',
          'test/database.ts',
          'test/failures.test.ts',
          'test/following.test.ts',
          'test/my-backend-session.test.ts',
          'test/my-backend-store.test.ts',
          'test/processes.test.ts',
          'tsconfig.json',
          'tsconfig.lib.json',
          'tsconfig.spec.json',
          'vitest.config.ts',
        ].map((path) => `packages/my-backend/${path}`),
      ]);
      expect(read('packages/my-backend/src/index.ts')).toContain(
        'export { MyBackendStore, type MyBackendStoreOptions }',
      );
      expect(read('.changeset/first-my-backend.md')).toMatch(/^---\n"@keepsake\/my-backend": minor\n---\n\n\S/);
      expect(JSON.parse(read('packages/my-backend/package.json'))).toMatchObject({
        name: '@keepsake/my-backend',
        version: '0.0.0',
        repository: { directory: 'packages/my-backend' },
        peerDependencies: { '@keepsake/core': expect.stringMatching(/^>=.* <1\.0\.0$/) },
        publishConfig: { access: 'public', provenance: true },
      });
    });

    it('without names of the template except that of SQLite', () => {
      const made = workspace.files().filter((path) => /my-backend.*\.\w+$/.test(path));
      for (const path of made) {
        expect(read(path).replaceAll('node:sqlite', ''), path).not.toMatch(/Sqlite|sqlite|<%|__/);
      }
    });

    it('without lint errors', async () => {
      await workspace.run('npm', ['run', '--silent', 'lint']);
    });

    it('that compiles, its README too', async () => {
      await workspace.run('tsc', ['--build', 'packages/my-backend']);
      const path = 'packages/my-backend/README.md';
      const snippets = findSnippets({ path, text: read(path) });
      expect(snippets).not.toEqual([]);
      expect(compileSnippets(snippets, workspace.root).flat()).toEqual([]);
    });

    it('that passes the kit', async () => {
      await workspace.run('vitest', ['run'], 'packages/my-backend');
      const { testResults } = JSON.parse(read('test-results/packages/my-backend.json')) as {
        testResults: { assertionResults: { status: string; ancestorTitles: string[] }[] }[];
      };
      const results = testResults.flatMap(({ assertionResults }) => assertionResults);
      expect(new Set(results.flatMap(({ ancestorTitles: [kit] }) => kit ?? []))).toEqual(
        new Set([
          'MyBackendSession as a session',
          'MyBackendSessionStore as a session store',
          'MyBackendStore as a record store',
          'MyBackendStore as a memory store',
        ]),
      );
      expect(results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(500);
    });
  });
});
