/**
 * An agent that remembers, in the terminal, on files; and conversations that there are already, remembered:
 *
 *   npm run demo
 *   npm run demo -- --file conversation.jsonl --ask "What did we decide?"
 */
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chat } from './chat.ts';
import { play } from './play.ts';
import { run } from './run.ts';

const help = `Usage: npm run demo -- [options]
Chats in the terminal, or by lines that are piped in, and remembers it the next time.
With OPENAI_API_KEY a model answers; OPENAI_MODEL and OPENAI_BASE_URL say which.
  --show-memory     show what was recalled, and what of it a model gets to see
  --directory DIR   where to keep the files (default: .keepsake)

Or remembers a conversation that there is, and answers from it:
  --file FILE       a conversation: JSONL of { role, speaker?, content, createdAt }, or a LoCoMo file
  --ask QUESTION    what to ask; may be given several times
  --directory DIR   where to keep the files (default: .keepsake/demo, made anew each time)`;

/** For what is only shown: apart from what a user tells, and made anew each time. */
const OWN_DIRECTORY = '.keepsake/demo';
/** Nobody is at the other end of a pipe that is silent for so long. */
const SILENCE_MS = 5_000;

// npm runs scripts in the folder of the project, and leaves a note of where it was called.
process.chdir(process.env.INIT_CWD ?? '.');
const { file, ask, directory, 'show-memory': showMemory = false } = readArguments();
if (file !== undefined || ask !== undefined) {
  recall(file, ask);
} else if (await hasInput()) {
  await chat(directory ?? '.keepsake', showMemory).catch((error: Error) => fail(error.message));
} else {
  play(['--directory', directory ?? emptied(OWN_DIRECTORY), ...(showMemory ? ['--show-memory'] : [])]);
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
function recall(file = home('conversation.jsonl'), questions: readonly string[] = []): void {
  if (questions.length === 0) fail('Ask something of that file: --ask "What happened in May?"');
  if (!existsSync(file)) fail(`There is no file ${file}`);
  const place = directory ?? emptied(OWN_DIRECTORY);
  run('remember.ts', [place, file]);
  run('recall.ts', [place, ...questions]);
}

/** Whether somebody is there to chat with: at a terminal, or at the other end of a pipe. */
async function hasInput(): Promise<boolean> {
  const { stdin } = process;
  if (stdin.isTTY) return true;
  const silence = AbortSignal.timeout(SILENCE_MS);
  await once(stdin, 'readable', { signal: silence }).catch(() => undefined);
  return stdin.readableLength > 0;
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
