import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installNode, type Node } from '@keepsake/publishing/nodes';
import { createProjectGraphAsync } from '@nx/devkit';
import { RESULTS, ROOT } from './part.ts';
import { runCheck } from './run-check.ts';

/**
 * Tests packages and examples on a Node version from npm, independent of the project's own: all of them with their torture
 * tests, or the tests of some. Returns the names of commands that failed.
 *
 * Nx and npm put `node_modules/.bin`, and with it the project's own Node, first on the PATH. So they only prepare, and this
 * function runs the commands of the targets with the other Node first on the PATH.
 *
 * @param projects - Folders such as `packages/file`, to run only the tests of these.
 */
export async function testOnNode(version: string, projects: readonly string[]): Promise<string[]> {
  const node = await installNode(version);
  console.log(`\n── Node ${node.version}`);
  const results = join(RESULTS, `node-${version}`);
  rmSync(results, { recursive: true, force: true });
  const env = { ...environmentOn(node), KEEPSAKE_TEST_RESULTS: results };
  const failed: string[] = [];
  const run = async (command: string, cwd = ROOT) => {
    console.log(`\n── Node ${node.version}, ${cwd}: ${command}`);
    if (!(await runCheck(command, { cwd, env, minutes: 60 }))) failed.push(`${command} in ${cwd}`);
  };
  const all = projects.length === 0;
  // For some, `npm ci` has generated the code, and other checks that run beside this one read it.
  if (all) prepare(['generate', 'build']);
  const folders = all ? ['packages', 'examples'] : projects;
  await run(`vitest run ${folders.map((folder) => `${folder}/`).join(' ')}`);
  if (all) {
    for (const { project, command } of await tasksOf('test:torture')) await run(command, join(ROOT, project));
  }
  return failed;
}

/** The environment in which `node`, and every tool that npm installed here, uses the given Node. */
export function environmentOn(node: Node): NodeJS.ProcessEnv {
  const path = [dirname(node.path), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path };
}

function prepare(targets: readonly string[]): void {
  const { status } = spawnSync(`nx run-many -t ${targets.join(' ')}`, { cwd: ROOT, shell: true, stdio: 'inherit' });
  if (status !== 0) throw new Error(`nx run-many -t ${targets.join(' ')} failed.`);
}

/** A target of the packages that have it, as the commands that Nx would run. */
async function tasksOf(target: string) {
  const { nodes } = await createProjectGraphAsync();
  return Object.values(nodes).flatMap(({ data: { root: project, targets } }) => {
    const command: string | undefined = targets?.[target]?.metadata?.scriptContent;
    return project.startsWith('packages/') && command !== undefined ? [{ project, command }] : [];
  });
}
