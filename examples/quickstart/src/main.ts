/**
 * An agent that remembers, in the terminal, on files; and conversations that there are already, remembered:
 *
 *   npm run demo
 *   npm run demo -- --file examples/quickstart/conversation.jsonl --ask "What is Finlay allergic to?"
 */
import { once } from 'node:events';
import { existsSync, fstatSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chat } from './chat.ts';
import { play } from './play.ts';
import { run } from './run.ts';
import { dim } from './terminal.ts';

const help = `Usage: npm run demo -- [options]
Chats in the terminal, or by lines that are piped in, and remembers it the next time.
With OPENAI_API_KEY a model answers; OPENAI_MODEL and OPENAI_BASE_URL say which.
  --show-memory     show what was recalled, and what of it a model gets to see
  --directory DIR   where to keep the files (default: .keepsake)

Or remembers a conversation that there is, and answers from it:
  --file FILE       a conversation: JSONL of { role, speaker?, content, createdAt }, or a LoCoMo file
  --ask QUESTION    what to ask; may be given several times
  --show-memory     show what of it a model would get to see
  --directory DIR   where to keep the files of FILE (default: .keepsake/demo, made anew each time)`;

/** For what is made up: apart from what a user tells, and made anew each time. */
const OWN_DIRECTORY = '.keepsake/demo';
/** Whoever started this with input of their own to give has begun by then. */
const SILENCE_MS = 5_000;

// npm runs scripts in the folder of the project, and leaves a note of where it was called.
process.chdir(process.env.INIT_CWD ?? '.');
const { file, ask, directory, 'show-memory': showMemory = false } = readArguments();
if (file !== undefined || ask !== undefined) {
  recall(file, ask);
} else if (await hasInput()) {
  await chat(directory ?? '.keepsake', showMemory).catch((error: Error) => fail(error.message));
} else {
  play(['--directory', ownDirectory(), ...(showMemory ? ['--show-memory'] : [])]);
}
// A pipe that is silent, but open, would keep the process from its end.
process.stdin.destroy();

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        file: { type: 'string' },
        ask: { type: 'string', multiple: true },
        directory: { type: 'string' },
        'show-memory': { type: 'boolean' },
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

/** One process remembers a conversation, another recalls it. */
function recall(file: string | undefined, questions: readonly string[] = []): void {
  if (questions.length === 0) fail('Ask something of that file: --ask "What happened in May?"');
  if (file !== undefined && !existsSync(file)) fail(`There is no file ${file}`);
  const place = file === undefined ? ownDirectory() : (directory ?? emptied(OWN_DIRECTORY));
  run('remember.ts', [place, file ?? home('conversation.jsonl')]);
  run('recall.ts', [place, showMemory ? 'show' : 'hide', ...questions]);
}

/** Whether somebody is there to chat with: at a terminal, or at the other end of a pipe. */
async function hasInput(): Promise<boolean> {
  const { stdin } = process;
  if (stdin.isTTY) return true;
  const readable = (signal?: AbortSignal) => once(stdin, 'readable', signal && { signal }).catch(() => undefined);
  await readable(AbortSignal.timeout(SILENCE_MS));
  // A program may start this and have nothing to say. A shell makes a pipe only for one that has, however slow it is.
  if (!stdin.readable || stdin.readableLength > 0 || !fstatSync(stdin.fd).isFIFO()) return stdin.readableLength > 0;
  console.error(dim('Waiting for lines from the pipe.'));
  await readable();
  return stdin.readableLength > 0;
}

/** What is made up goes nowhere else, whatever the user says. */
function ownDirectory(): string {
  if (directory !== undefined && resolve(directory) !== resolve(OWN_DIRECTORY)) {
    console.log(dim(`This conversation is made up: it goes to ${OWN_DIRECTORY}, and ${directory} stays as it is.`));
  }
  return emptied(OWN_DIRECTORY);
}

function emptied(path: string): string {
  rmSync(path, { recursive: true, force: true });
  return path;
}

function home(path: string): string {
  return fileURLToPath(new URL(join('..', path), import.meta.url));
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
