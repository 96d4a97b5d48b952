import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { run } from '@keepsake/testing/run';
import { expect, it } from 'vitest';
import { COMBINATIONS, makeProject } from './support/make-project.ts';

const COMPILER = join(import.meta.dirname, '../../../node_modules/typescript7/bin/tsc');
const directory = useDirectory();

/** Compiles all projects in `directory` at once, with their own settings, and the sources of the workspace. */
async function compile(): Promise<string> {
  const settings = {
    extends: './none-file/tsconfig.json',
    // The sources are written for the strictest settings. So are the projects, then.
    compilerOptions: {
      customConditions: ['@keepsake/source'],
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    },
    include: ['*/src'],
  };
  writeFileSync(join(directory.path, 'tsconfig.json'), JSON.stringify(settings));
  return run(process.execPath, [COMPILER, '--pretty', 'false', '--project', directory.path], { cwd: directory.path });
}

it('every combination is correctly typed, and an error in one would be found', async () => {
  const projects = await Promise.all(
    COMBINATIONS.map(({ framework, backend }) => makeProject(directory.path, framework, backend)),
  );
  const settings = projects.map((project) => readFileSync(join(project, 'tsconfig.json'), 'utf8'));
  expect(new Set(settings).size).toBe(1);
  expect(await compile()).toBe('');

  for (const project of projects) {
    const path = join(project, 'src/server.ts');
    writeFileSync(path, `${readFileSync(path, 'utf8')}\nexport const wrong: number = store.name;\n`);
  }
  const { message } = await compile().then(
    () => new Error('The compiler found nothing.'),
    (error: Error) => error,
  );
  expect(message.match(/error TS2322/g)).toHaveLength(projects.length);
});
