/**
 * Chats with an agent with memory in the terminal, or recalls from an existing conversation:
 *
 *   npm run demo
 *   npm run demo -- --file examples/quickstart/conversation.jsonl --ask "What is Finlay allergic to?"
 */
import { once } from 'node:events';
import { existsSync, fstatSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chat, modelAddress } from './chat/chat.ts';
import { dim } from './chat/terminal.ts';
import { play } from './play.ts';
import { run } from './run.ts';

const help = `Usage: npm run demo -- [options]
Chats in the terminal or with piped lines, and remembers the conversation next time.
  --show-memory           show what was recalled and what a model gets to see
  --directory DIR         where to keep the files (default: .keepsake)
  --ask QUESTION          asks what it remembers, and ends; can be repeated
  --model ollama|URL      a model answers: of Ollama, or of a server with OpenAI's Chat Completions
                          API and the key in OPENAI_API_KEY, which alone means that of OpenAI
  --model-name NAME       (default: OPENAI_MODEL, or llama3.2 for Ollama, otherwise gpt-5-mini)
  --embedder ollama|URL   find memories by meaning, too: with Ollama, or a server with
                          OpenAI's Embeddings API and the key in OPENAI_API_KEY
  --embedding-model NAME  (default: nomic-embed-text for Ollama, otherwise text-embedding-3-small)

Or remembers an existing conversation and answers from it:
  --file FILE             a conversation: JSONL of { role, speaker?, content, createdAt }, or a LoCoMo file
  --ask QUESTION          the question; can be repeated
  --show-memory           show what a model would get to see
  --directory DIR         where to keep the files of FILE (default: .keepsake/demo, recreated each time)`;

/** The directory of the built-in conversation: separate from the user's data, and recreated each time. */
const OWN_DIRECTORY = '.keepsake/demo';
/** If there is piped input, it has started by then. */
const SILENCE_MS = 5_000;

// npm runs scripts in the folder of the project. INIT_CWD is the folder in which it was called.
process.chdir(process.env.INIT_CWD ?? '.');
const { file, ask, directory, 'show-memory': showMemory = false, ...given } = readArguments();
if (file !== undefined || ask !== undefined) {
  recall(file, ask);
} else if (await hasInput()) {
  await chat({
    directory: directory ?? '.keepsake',
    showMemory,
    model: modelAddress({ server: given.model, name: given['model-name'] }, process.env),
    embedder: embedderAddress(),
  }).catch((error: Error) => fail(error.message));
} else {
  play(['--directory', ownDirectory(), ...(showMemory ? ['--show-memory'] : [])]);
}
// An open, silent pipe would keep the process from exiting.
process.stdin.destroy();

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        file: { type: 'string' },
        ask: { type: 'string', multiple: true },
        directory: { type: 'string' },
        'show-memory': { type: 'boolean' },
        model: { type: 'string' },
        'model-name': { type: 'string' },
        embedder: { type: 'string' },
        'embedding-model': { type: 'string' },
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

function embedderAddress() {
  const { embedder: server, 'embedding-model': model } = given;
  return server === undefined ? undefined : { server, model, apiKey: process.env.OPENAI_API_KEY };
}

/** One process remembers the conversation of a file, and another recalls it. Without a file, the chat is asked. */
function recall(file: string | undefined, questions: readonly string[] = []): void {
  if (questions.length === 0) fail('Ask a question about the file: --ask "What happened in May?"');
  if (file === undefined) {
    const options = ['--directory', directory ?? '.keepsake', ...(showMemory ? ['--show-memory'] : [])];
    run('main.ts', options, questions.map((question) => `${question}\n`).join(''));
    return;
  }
  if (!existsSync(file)) fail(`File not found: ${file}`);
  const place = directory ?? emptied(OWN_DIRECTORY);
  run('remember.ts', [place, file]);
  run('recall.ts', [place, showMemory ? 'show' : 'hide', ...questions]);
}

/** Whether there is input: a terminal, or a pipe with data. */
async function hasInput(): Promise<boolean> {
  const { stdin } = process;
  if (stdin.isTTY) return true;
  const readable = (signal?: AbortSignal) => once(stdin, 'readable', signal && { signal }).catch(() => undefined);
  await readable(AbortSignal.timeout(SILENCE_MS));
  // A program may start this without input. A shell only creates a pipe for a program that writes to it, even if it is slow.
  if (!stdin.readable || stdin.readableLength > 0 || !fstatSync(stdin.fd).isFIFO()) return stdin.readableLength > 0;
  console.error(dim('Waiting for lines from the pipe.'));
  await readable();
  return stdin.readableLength > 0;
}

/** The built-in conversation is stored nowhere else, even with `--directory`. */
function ownDirectory(): string {
  if (directory !== undefined && resolve(directory) !== resolve(OWN_DIRECTORY)) {
    console.log(dim(`The built-in conversation is stored in ${OWN_DIRECTORY}; ${directory} stays unchanged.`));
  }
  return emptied(OWN_DIRECTORY);
}

function emptied(path: string): string {
  rmSync(path, { recursive: true, force: true });
  return path;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
