import { createInterface } from 'node:readline/promises';
import { usageFailure } from '../failure.ts';
import { BACKENDS, type BackendName } from './backends.ts';
import { TEMPLATES } from './templates.ts';

/** Asks on the terminal which backend to use. */
export async function askBackend(): Promise<BackendName> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageFailure(`Pass a backend: keepsake init --backend ${BACKENDS.join('|')}.`);
  }
  const lines = BACKENDS.map((name) => `  ${name.padEnd(8)}  ${TEMPLATES[name].what}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await terminal.question(`Where is memory stored?\n${lines.join('\n')}\nBackend [file]: `)).trim();
    const backend = answer === '' ? 'file' : BACKENDS.find((name) => name === answer.toLowerCase());
    if (backend === undefined) throw usageFailure(`There is no backend ${answer}. Use ${BACKENDS.join(', ')}.`);
    return backend;
  } finally {
    terminal.close();
  }
}
