import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { BACKENDS, type Backend, FRAMEWORKS, type Framework } from '../../src/choices.ts';
import { run } from '../../src/run.ts';

const MODULES = join(import.meta.dirname, '../../../../node_modules');

/** Every framework with every backend. */
export const COMBINATIONS = (Object.keys(FRAMEWORKS) as Framework[]).flatMap((framework) =>
  (Object.keys(BACKENDS) as Backend[]).map((backend) => ({ framework, backend })),
);

/** Runs the program, and returns its exit code and output. With `typed`, there is a terminal on which that is typed. */
export async function create(cwd: string, args: readonly string[], typed?: string, node = process.versions.node) {
  const isTTY = typed !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY });
  stdin.end(typed);
  const exitCode = await run(args, { stdin, stdout, stderr, versions: { node }, cwd: () => cwd });
  stdout.end();
  stderr.end();
  return { exitCode, stdout: await text(stdout), stderr: await text(stderr) };
}

/** Makes a project below `cwd` whose packages are those of the workspace, and returns its directory. */
export async function makeProject(cwd: string, framework: Framework, backend: Backend): Promise<string> {
  const name = `${framework}-${backend}`;
  const { exitCode, stderr } = await create(cwd, [name, '--framework', framework, '--backend', backend]);
  if (exitCode !== 0) throw new Error(stderr);
  if (!existsSync(join(cwd, 'node_modules'))) symlinkSync(MODULES, join(cwd, 'node_modules'));
  return join(cwd, name);
}
