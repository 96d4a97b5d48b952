import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { run } from '@keepsake/testing/run';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { currentNode } from '../src/nodes.ts';
import { pack, type Tarball } from '../src/pack.ts';
import { closure, findPackages } from '../src/packages.ts';

/*
 * Follows the guide as a reader does who has nothing but the guide: its commands and its code, in an empty folder, with
 * tarballs in place of the names of packages, as the guide says.
 */

const root = join(import.meta.dirname, '../../..');
const guide = readFileSync(join(root, 'docs/getting-started.md'), 'utf8');
const packages = findPackages(root);
const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-getting-started-'));
const project = join(scratch, 'my-agent');
let tarballs: Map<string, Tarball>;

beforeAll(async () => {
  tarballs = await pack(packages, join(scratch, 'tarballs'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('makes a project, remembers in one process and recalls in the next', async () => {
  const [create = ''] = blocks('sh', sectionOf('Getting started'));
  await shell(create, scratch);
  const section = sectionOf('Remember and recall');
  const [installation = '', use = ''] = blocks('sh', section);
  await shell(withTarballs(installation), project);
  writeFileSync(join(project, 'memory.ts'), blocks('ts', section).join('\n'));
  const [store = '', recall = ''] = use.trim().split('\n');
  await shell(store, project);
  expect(await shell(recall, project)).toBe('Alice lives in Lisbon since May.\n');
});

it('lets a model of any kind use the memory', async () => {
  writeFileSync(join(project, 'agent.ts'), blocks('ts', sectionOf('Any model')).join('\n'));
  await shell('node agent.ts "I have a dog called Bolt."', project);
  expect(await shell('node agent.ts "What is my dog called?"', project)).toContain('Bolt');
});

/** The text below a heading, up to the next one. */
function sectionOf(heading: string): string {
  const section = guide.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`The guide has no section "${heading}".`);
  return section;
}

function blocks(language: string, text: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);
}

function withTarballs(command: string): string {
  const names = [...command.matchAll(/@keepsake\/[\w-]+/g)].map(([name]) => name);
  const all = new Set(names.flatMap((name) => closure(name, packages)));
  return `npm install ${[...all].map(({ name }) => `"${tarballs.get(name)?.path}"`).join(' ')} --no-audit --no-fund`;
}

function shell(command: string, cwd: string): Promise<string> {
  const path = [dirname(currentNode.path), process.env.PATH].join(delimiter);
  return run('sh', ['-c', command], { cwd, env: { PATH: path } });
}
