import { execFile } from 'node:child_process';

/** Where a process runs, and what it finds in its environment besides {@link machineEnvironment}. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program to its end, and returns what it wrote to its standard output.
 *
 * @throws Error with the command and all that it wrote, when it ends with another code than 0.
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

// What `npm test`, nx, Vitest or a git hook tell their children of their own doings, and what would bend a program that
// is to run as a user runs it. npm's settings for registry, cache and proxy stay: they are the machine's.
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

/** The environment as a shell of this machine has it, less what is set anew: npm reads its names in any case. */
function machineEnvironment(setAnew: readonly string[]): NodeJS.ProcessEnv {
  const replaced = new Set(setAnew.map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !OF_THE_OUTER_RUN.test(name) && !replaced.has(name.toLowerCase())),
  );
}
