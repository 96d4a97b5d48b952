import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { COMBINATIONS, create } from './support/make-project.ts';

const directory = useDirectory();
const at = (...path: string[]) => join(directory.path, ...path);
const read = (...path: string[]) => readFileSync(at(...path), 'utf8');
const chosen = ['--framework', 'ai-sdk', '--backend', 'postgres'];

it('a project has what it needs, in the versions that were tested, and the next steps are printed', async () => {
  const { exitCode, stdout, stderr } = await create(directory.path, ['My Agent', ...chosen]);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Made a chat server in My Agent.');
  expect(stdout).toContain('  cd "My Agent"\n');
  expect(stdout).toContain('npm start');
  expect(stdout).not.toContain('You have Node.js');
  expect(readdirSync(at('My Agent')).sort()).toEqual(
    ['.env.example', '.gitignore', 'README.md', 'package.json', 'src', 'tsconfig.json'].sort(),
  );
  const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  const keepsake = '>=0.0.0 <1.0.0';
  expect(JSON.parse(read('My Agent', 'package.json'))).toMatchObject({
    name: 'my-agent',
    type: 'module',
    dependencies: {
      '@hono/node-server': devDependencies['@hono/node-server'],
      '@keepsake/ai-sdk': keepsake,
      '@keepsake/core': keepsake,
      '@keepsake/postgres': keepsake,
      ai: devDependencies.ai,
      hono: devDependencies.hono,
      pg: devDependencies.pg,
    },
    devDependencies: { '@types/node': expect.any(String), '@types/pg': expect.any(String) },
  });
  expect(read('My Agent', '.env.example')).toMatch(/^AI_GATEWAY_API_KEY=$.*^DATABASE_URL=postgres:/ms);
  expect(read('My Agent', '.gitignore')).toContain('.env\n');
});

it('every combination has a project', async () => {
  for (const { framework, backend } of COMBINATIONS) {
    const name = `${framework}-${backend}`;
    expect(await create(directory.path, [name, '-f', framework, '-b', backend])).toMatchObject({ exitCode: 0 });
    expect(read(name, 'README.md')).toContain(`# ${name}\n`);
    for (const file of readdirSync(at(name, 'src'))) expect(read(name, 'README.md')).toContain(`\`src/${file}\``);
  }
  expect(COMBINATIONS).toHaveLength(12);
});

it('an empty directory and the current one are used', async () => {
  mkdirSync(at('empty'));
  expect(await create(directory.path, ['empty', ...chosen])).toMatchObject({ exitCode: 0 });
  mkdirSync(at('here'));
  const { stdout } = await create(at('here'), ['.', ...chosen]);
  expect(stdout).not.toContain('cd ');
  expect(JSON.parse(read('here', 'package.json')).name).toBe('here');
});

it('a new repository is used, and a Node.js without TypeScript is named', async () => {
  mkdirSync(at('repository', '.git'), { recursive: true });
  const oldNode = await create(at('repository'), ['.', ...chosen], undefined, '22.17.9');
  expect(oldNode.exitCode).toBe(0);
  expect(oldNode.stdout).toContain('You have Node.js 22.17.9. The server needs 22.18 or newer.');
  for (const node of ['22.18.0', '24.0.0']) {
    const { stdout } = await create(directory.path, [`with-${node}`, ...chosen], undefined, node);
    expect(stdout).not.toContain('You have');
  }
});

it('a directory that is not empty is refused, and stays as it is', async () => {
  mkdirSync(at('mine'));
  writeFileSync(at('mine', '.env'), 'SECRET=1');
  const { exitCode, stdout, stderr } = await create(directory.path, ['mine', ...chosen]);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toBe(`create-keepsake: ${at('mine')} is not empty. Choose another directory. Nothing was written.\n`);
  expect(readdirSync(at('mine'))).toEqual(['.env']);
  expect(read('mine', '.env')).toBe('SECRET=1');
});

it('a file in the place of the directory is refused, and stays as it is', async () => {
  writeFileSync(at('mine'), 'text');
  const { exitCode, stderr } = await create(directory.path, ['mine', ...chosen]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Can't write the project to ${at('mine')}: EEXIST`)]);
  expect(read('mine')).toBe('text');
});

it.each([
  [['my-agent', '-f', 'rails', '-b', 'file'], 'There is no framework rails. Use none, ai-sdk, openai-agents.'],
  [['my-agent', '-f', 'none', '-b', 'mongo'], 'There is no backend mongo. Use file, sqlite, postgres, redis.'],
  [['my-agent', '-f', 'toString', '-b', 'file'], 'There is no framework toString.'],
  [['my-agent', '-f', '', '-b', 'file'], 'There is no framework .'],
  [['my-agent', '-b', 'file'], 'Pass a framework: --framework none|ai-sdk|openai-agents.'],
  [['my-agent', '-f', 'none'], 'Pass a backend: --backend file|sqlite|postgres|redis.'],
  [['-f', 'none', '-b', 'file'], 'Pass a directory, such as my-agent.'],
  [['one', 'two', ...chosen], 'Pass one directory, got 2.'],
  [['my-agent', '--database', 'file'], "Unknown option '--database'"],
])('%j is a usage error, and nothing is written', async (args, message) => {
  const { exitCode, stdout, stderr } = await create(directory.path, args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`create-keepsake: ${message}`);
  expect(stderr).toContain('See create-keepsake --help.');
  expect(readdirSync(directory.path)).toEqual([]);
});

it('asks on a terminal for what is missing', async () => {
  const { exitCode, stderr } = await create(directory.path, ['--backend', 'redis'], 'my-chat\nopenai-agents\n');
  expect(exitCode).toBe(0);
  expect(stderr).toContain('Directory [my-agent]: ');
  expect(stderr).toContain('openai-agents  the OpenAI Agents SDK');
  expect(stderr).not.toContain('Where is memory stored?');
  expect(read('my-chat', 'src/agent.ts')).toContain('@openai/agents');
  expect(read('my-chat', 'src/storage.ts')).toContain('@keepsake/redis');
});

it('an empty answer takes the default', async () => {
  expect(await create(directory.path, [], '\n\n\n')).toMatchObject({ exitCode: 0 });
  expect(Object.keys(JSON.parse(read('my-agent', 'package.json')).dependencies)).toContain('@keepsake/file');
});

it('a wrong answer is refused, and nothing is written', async () => {
  const { exitCode, stderr } = await create(directory.path, ['my-agent', '-f', 'none'], 'mongo\n');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('There is no backend mongo.')]);
  expect(existsSync(at('my-agent'))).toBe(false);
});

it('a terminal that closes cancels', async () => {
  const { exitCode, stderr } = await create(directory.path, ['my-agent', '-f', 'none'], '');
  expect([exitCode, stderr]).toEqual([130, expect.stringContaining('Cancelled. Nothing was written.')]);
  expect(existsSync(at('my-agent'))).toBe(false);
});

it('the program shows its help and its version', async () => {
  const program = join(import.meta.dirname, '../src/create-keepsake.ts');
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  expect(await runProgram(program, ['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  const { status, stdout, stderr } = await runProgram(program, ['--help']);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('npm create keepsake my-agent -- --framework ai-sdk --backend sqlite');
  expect(await runProgram(program, ['--backend', 'mongo'])).toMatchObject({ status: 2, stdout: '' });
});
