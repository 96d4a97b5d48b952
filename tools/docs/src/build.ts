// `npm run docs`: builds the documentation site into `tools/docs/dist`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installLocked } from '@keepsake/testing/install-locked';
import { llmsText } from './llms.ts';
import { readPages } from './pages.ts';
import { root } from './repository.ts';
import { SECTIONS } from './sections.ts';

const project = join(import.meta.dirname, '..');
/** What the site is made of. Each build starts with an empty folder. */
const pagesDirectory = join(project, 'pages');
const site = 'https://keepsake-memory.github.io/keepsake';

installLocked(project, console.log);
rmSync(pagesDirectory, { recursive: true, force: true });
const pages = readPages();
for (const { path, text } of pages) write(`${path}.md`, text);
cpSync(join(project, 'home.md'), join(pagesDirectory, 'index.md'));
cpSync(join(root, 'docs/images'), join(pagesDirectory, 'public/images'), { recursive: true });
write('public/llms.txt', llmsText(SECTIONS, pages, site));
run('typedoc', ['--options', 'typedoc.json']);
run('vitepress', ['build', '.']);
console.log('\nThe site is in tools/docs/dist. To read it: tools/docs/node_modules/.bin/vitepress preview tools/docs');

function write(path: string, text: string): void {
  const target = join(pagesDirectory, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(join(project, 'node_modules/.bin', program), args, { cwd: project, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} failed.`);
}
