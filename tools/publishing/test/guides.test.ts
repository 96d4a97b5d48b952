import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type OpenAIEmulator, startOpenAI } from '@keepsake/emulators';
import { run } from '@keepsake/testing/run';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { currentNode } from '../src/nodes.ts';
import { pack, type Tarball } from '../src/pack.ts';
import { closure, findPackages, readManifest } from '../src/packages.ts';

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
let openai: OpenAIEmulator | undefined;

beforeAll(async () => {
  tarballs = await pack(packages, join(scratch, 'tarballs'));
  openai = await startOpenAI();
  openai.answerWith(({ input }) => `I read: ${JSON.stringify(input)}`);
});
afterAll(async () => {
  await openai?.stop();
  rmSync(scratch, { recursive: true, force: true });
});

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

it('lets an agent of the OpenAI Agents SDK use the memory', async () => {
  const folder = await projectOf('OpenAI Agents SDK', 'OpenAI Agents');
  await shell('node agent.ts "I have a dog called Bolt."', folder);
  expect(await shell('node agent.ts "What is my dog called?"', folder)).toMatch(
    /I read: .*Bolt.*What is my dog called/,
  );
});

it('lets a graph of LangGraph continue in another process, and find what other threads stored', async () => {
  const folder = await projectOf('LangGraph', 'LangGraph');
  expect(await shell('node agent.ts "I have a dog called Bolt."', folder)).toBe('Message 1. I know: nothing\n');
  expect(await shell('node agent.ts "What is my dog called?"', folder)).toBe(
    'Message 3. I know: I have a dog called Bolt.\n',
  );
});

/** A new project with what the table of the guide says to install for a framework, and the code of its section. */
async function projectOf(framework: string, section: string): Promise<string> {
  const row = guide.split('\n').find((line) => line.startsWith(`| ${framework} |`));
  const [, own = '', peer = ''] = /`(@keepsake\/\S+) (\S+)`/.exec(row ?? '') ?? [];
  const name = own.replace('@keepsake/', 'my-');
  const folder = join(scratch, name);
  const [create = ''] = blocks('sh', sectionOf('Getting started'));
  await shell(create.replaceAll('my-agent', name), scratch);
  const { version } = readManifest(join(root, 'node_modules', peer, 'package.json'));
  await shell(`${withTarballs(`npm install @keepsake/core @keepsake/file ${own}`)} ${peer}@${version}`, folder);
  writeFileSync(join(folder, 'agent.ts'), blocks('ts', sectionOf(section)).join('\n'));
  return folder;
}

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
  return run('sh', ['-c', command], { cwd, env: { PATH: path, ...modelEnvironment() } });
}

/** In place of the reader's key. */
function modelEnvironment() {
  if (openai === undefined) throw new Error('The emulator of OpenAI is not running.');
  return { OPENAI_API_KEY: openai.apiKey, OPENAI_BASE_URL: openai.baseURL, OPENAI_AGENTS_DISABLE_TRACING: '1' };
}
