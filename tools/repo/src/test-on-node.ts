import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installNode, type Node } from '@keepsake/publishing/nodes';
import { createProjectGraphAsync } from '@nx/devkit';
import { closingLine, failedCheck, type Results, readResults, sum } from './results.ts';
import { runCheck } from './run-check.ts';
import { environment, type Target } from './targets.ts';

const root = join(import.meta.dirname, '../../..');

/** A target of one project, as the command that Nx would run. */
interface Task {
  readonly target: Target;
  readonly project: string;
  readonly command: string;
}

/**
 * Runs targets of the packages and examples on a Node version from npm, independent of the project's own. With `projects`,
 * such as `packages/file`, runs those of these only.
 *
 * Nx and npm put `node_modules/.bin`, and with it the project's own Node, first on the PATH. So they only prepare, and this
 * function runs the commands of the targets with the other Node first on the PATH.
 */
export async function testOnNode(
  version: string,
  targets: readonly Target[],
  projects?: readonly string[],
): Promise<Results> {
  const node = await installNode(version);
  const title = `Node ${node.version}`;
  console.log(`\n── ${title}${projects === undefined ? '' : `, only ${projects.join(', ')}`}`);
  const directory = join(root, 'test-results', `node-${version}`);
  rmSync(directory, { recursive: true, force: true });
  const env = { ...environmentOn(node), KEEPSAKE_TEST_RESULTS: directory };
  const all: Results[] = [];
  for (const target of targets) {
    const { status } = spawnSync(`nx run-many -t ${target.needs}`, { cwd: root, shell: true, stdio: 'inherit' });
    if (status !== 0) all.push(failedCheck(`nx run-many -t ${target.needs}`));
    const waiting = (await tasksOf(target)).filter(({ project }) => projects?.includes(project) ?? true);
    const worker = async () => {
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
        const counted = await run(task, env, directory);
        console.log(`${title}, ${task.project}, ${target.name}: ${closingLine(counted)}`);
        all.push(counted);
      }
    };
    // With the parallelism of nx.json.
    await Promise.all([worker(), worker()]);
  }
  const total = sum(all);
  console.log(`${title}: ${closingLine(total)}`);
  return total;
}

/** The environment in which `node`, and every tool that npm installed here, uses the given Node. */
export function environmentOn(node: Node): NodeJS.ProcessEnv {
  const path = [dirname(node.path), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  return { ...environment, PATH: path };
}

async function tasksOf(target: Target): Promise<Task[]> {
  const { nodes } = await createProjectGraphAsync();
  return Object.values(nodes).flatMap(({ data: { root: project, targets } }) => {
    const { options, metadata } = targets?.[target.name] ?? {};
    const command: string | undefined = options?.command ?? metadata?.scriptContent;
    return /^(packages|examples)\//.test(project) && command !== undefined ? [{ target, project, command }] : [];
  });
}

/** Runs one task and shows its output at the end, because tasks run concurrently. */
async function run({ target, project, command }: Task, env: NodeJS.ProcessEnv, directory: string): Promise<Results> {
  const output: Buffer[] = [];
  const onOutput = (chunk: Buffer) => output.push(chunk);
  const succeeded = await runCheck(command, { cwd: join(root, project), env, onOutput });
  process.stdout.write(Buffer.concat(output));

  const counted = (target.results && readResults(join(directory, `${project}${target.results}`))) || sum([]);
  return !succeeded && counted.failed === 0 ? sum([counted, failedCheck(`${project}, ${target.name}`)]) : counted;
}
