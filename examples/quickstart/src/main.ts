/**
 * Shows Keepsake remembering a conversation across processes, with no server, no model and no key:
 *
 *   npm run demo
 *   npm run demo -- --file conversation.jsonl --ask "What did we decide?"
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const help = `Usage: npm run demo -- [options]
  --file FILE       a conversation: JSONL of { role, speaker?, content, createdAt }, or a LoCoMo file
  --ask QUESTION    what to ask; may be given several times
  --directory DIR   where to keep the files (default: .keepsake/demo, made anew each time)`;

const OWN_DIRECTORY = '.keepsake/demo';

main();

function main(): void {
  const { file, ask, directory } = readArguments();
  const questions = ask ?? (file === undefined ? ownQuestions() : []);
  if (questions.length === 0) fail('Ask something of that file: --ask "What happened in May?"');
  const conversation = file === undefined ? home('conversation.jsonl') : resolve(callersDirectory(), file);
  if (!existsSync(conversation)) fail(`There is no file ${conversation}`);
  // Only the default directory is ours to empty.
  if (directory === undefined) rmSync(join(callersDirectory(), OWN_DIRECTORY), { recursive: true, force: true });
  const place = directory ?? OWN_DIRECTORY;
  run('remember.ts', [place, conversation]);
  run('recall.ts', [place, ...questions]);
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        file: { type: 'string' },
        ask: { type: 'string', multiple: true },
        directory: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) {
      console.log(help);
      process.exit(0);
    }
    return values;
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${help}`);
  }
}

function ownQuestions(): string[] {
  const { questions } = JSON.parse(readFileSync(home('questions.json'), 'utf8'));
  return questions.slice(0, 4).map(({ question }: { question: string }) => question);
}

/** Where the user is: npm runs scripts in the folder of the project, and leaves a note of where it was called. */
function callersDirectory(): string {
  return process.env.INIT_CWD ?? process.cwd();
}

function home(path: string): string {
  return fileURLToPath(new URL(join('..', path), import.meta.url));
}

/** Runs a program of this folder as a process of its own. */
function run(program: string, args: readonly string[]): void {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const node = [...process.execArgv, path, ...args];
  const { status } = spawnSync(process.execPath, node, { cwd: callersDirectory(), stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
