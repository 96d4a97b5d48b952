import { execFile } from 'node:child_process';

/** The working directory of a process, and its environment besides {@link machineEnvironment}. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program to its end and returns its standard output.
 *
 * @throws Error with the command and its output if the exit code is not 0.
 */
export function run(program: string, args: readonly string[], { cwd, env = {} }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...machineEnvironment(Object.keys(env)), ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${[program, ...args].join(' ')} failed in ${cwd}:\n${stdout}${stderr}`, { cause: error }));
    });
  });
}

// Variables that `npm test`, nx, Vitest or a git hook set for child processes, and others that would change a program
// that must run as for a user. npm's settings for registry, cache and proxy stay, because they belong to the machine.
const OF_THE_OUTER_RUN = new RegExp(
  [
    'npm_(command|execpath|node_execpath|lifecycle_.*|package_.*)',
    'npm_config_(workspaces?|include_workspace_root|(local_|global_)?prefix|global|location|dry_run|loglevel|omit|include)',
    'GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX)',
    'NODE_(OPTIONS|ENV|V8_COVERAGE|COMPILE_CACHE)',
    'INIT_CWD|VITEST.*|NX_.*|TEST',
  ]
    .map((names) => `^(${names})$`)
    .join('|'),
  'i',
);

/** The environment of a shell on this machine, without overridden variables. npm reads the names case-insensitively. */
function machineEnvironment(overridden: readonly string[]): NodeJS.ProcessEnv {
  const replaced = new Set(overridden.map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !OF_THE_OUTER_RUN.test(name) && !replaced.has(name.toLowerCase())),
  );
}
