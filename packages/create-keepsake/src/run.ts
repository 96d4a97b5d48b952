import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Questions } from './ask.ts';
import { BACKENDS, type Choice, FRAMEWORKS } from './choices.ts';
import { Failure, usageFailure } from './failure.ts';
import { VERSION } from './manifest.ts';
import { projectFiles } from './project-files.ts';
import type { Surroundings } from './surroundings.ts';

const HELP = `Usage: npm create keepsake [directory] -- [options]

Makes a chat server that remembers each user. Asks for what is missing.

Options:
  -f, --framework <name>  ${Object.keys(FRAMEWORKS).join(', ')}
  -b, --backend <name>    ${Object.keys(BACKENDS).join(', ')}
  -h, --help              show this help
  -V, --version           show the version

Example:
  $ npm create keepsake my-agent -- --framework ai-sdk --backend sqlite

Exit codes: 0 success, 1 failure, 2 usage error, 130 cancelled
`;

/** Makes the project that the arguments describe, and returns the exit code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  try {
    stdout.write(await create(args, surroundings));
    return 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    stderr.write(`create-keepsake: ${error.message}\n`);
    return error.exitCode;
  }
}

/** Returns what to print. */
async function create(args: readonly string[], surroundings: Surroundings): Promise<string> {
  const { values, positionals } = parse(args);
  if (values.help) return HELP;
  if (values.version) return `${VERSION}\n`;
  const [directoryArgument, ...more] = positionals;
  if (more.length > 0) {
    throw usageFailure(`Pass one directory, got ${positionals.length}. With npm create, options go after \`--\`.`);
  }
  // Checked before questions are asked.
  const chosen = {
    framework: values.framework && checked('framework', FRAMEWORKS, values.framework),
    backend: values.backend && checked('backend', BACKENDS, values.backend),
  };
  const answers = await complete({ directory: directoryArgument, ...chosen }, surroundings);
  const cwd = surroundings.cwd();
  const directory = resolve(cwd, answers.directory);
  const framework = checked('framework', FRAMEWORKS, answers.framework);
  const backend = checked('backend', BACKENDS, answers.backend);
  writeProject(directory, projectFiles({ name: packageName(directory), framework, backend }));
  return nextSteps(relative(cwd, directory), surroundings.versions.node);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        framework: { type: 'string', short: 'f' },
        backend: { type: 'string', short: 'b' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
      },
    });
  } catch (error) {
    throw usageFailure((error as Error).message);
  }
}

interface Answers {
  readonly directory: string;
  readonly framework: string;
  readonly backend: string;
}

/** Asks for what is missing, if there is a terminal. */
async function complete(
  { directory, framework, backend }: { readonly [Name in keyof Answers]: string | undefined },
  surroundings: Surroundings,
): Promise<Answers> {
  if (directory !== undefined && framework !== undefined && backend !== undefined) {
    return { directory, framework, backend };
  }
  if (!surroundings.stdin.isTTY || !surroundings.stderr.isTTY) {
    if (directory === undefined) throw usageFailure('Pass a directory, such as my-agent.');
    throw usageFailure(framework === undefined ? missing('framework', FRAMEWORKS) : missing('backend', BACKENDS));
  }
  const questions = new Questions(surroundings);
  try {
    return {
      directory: directory ?? (await questions.ask('Directory', 'my-agent')),
      framework: framework ?? (await questions.choose('Which framework?', FRAMEWORKS, 'none')),
      backend: backend ?? (await questions.choose('Where is memory stored?', BACKENDS, 'file')),
    };
  } finally {
    questions.close();
  }
}

function missing(option: string, choices: Readonly<Record<string, Choice>>): string {
  return `Pass a ${option}: --${option} ${Object.keys(choices).join('|')}.`;
}

function checked<Name extends string>(option: string, choices: Readonly<Record<Name, Choice>>, name: string): Name {
  if (Object.hasOwn(choices, name)) return name as Name;
  throw usageFailure(`There is no ${option} ${name}. Use ${Object.keys(choices).join(', ')}.`);
}

/** A name that npm accepts, like that of the directory. */
function packageName(directory: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  return name || 'my-agent';
}

function nextSteps(directory: string, nodeVersion: string): string {
  const steps = ['npm install', 'cp .env.example .env   # then set what it asks for', 'npm start'];
  const all =
    directory === '' ? steps : [`cd ${/^[\w./-]+$/.test(directory) ? directory : `"${directory}"`}`, ...steps];
  const made = `Made a chat server${directory === '' ? '' : ` in ${directory}`}. Next:`;
  return `${made}\n\n${all.map((step) => `  ${step}\n`).join('')}${tooOld(nodeVersion)}`;
}

/** Before 22.18, Node.js runs no TypeScript. */
function tooOld(nodeVersion: string): string {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const runsTypeScript = major > 22 || (major === 22 && minor >= 18);
  return runsTypeScript ? '' : `\nYou have Node.js ${nodeVersion}. The server needs 22.18 or newer.\n`;
}

/**
 * Writes files into a directory that does not exist yet, or is empty but for a `.git`.
 *
 * @throws Failure if there is something, or the system refuses.
 */
function writeProject(directory: string, files: ReadonlyMap<string, string>): void {
  try {
    mkdirSync(directory, { recursive: true });
    if (readdirSync(directory).some((name) => name !== '.git')) {
      throw new Failure(`${directory} is not empty. Choose another directory. Nothing was written.`);
    }
    for (const [path, text] of files) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text, { flag: 'wx' });
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`Can't write the project to ${directory}: ${(error as Error).message}`);
  }
}
