import { createInterface } from 'node:readline/promises';
import { usageFailure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import { BACKENDS, type BackendName } from './backends.ts';
import { TEMPLATES } from './templates.ts';

/** Asks on the terminal which backend to use. */
export async function askBackend({ stdin, stderr }: Surroundings): Promise<BackendName> {
  if (!stdin.isTTY || !stderr.isTTY) {
    throw usageFailure(`Pass a backend: keepsake init --backend ${BACKENDS.join('|')}.`);
  }
  const lines = BACKENDS.map((name) => `  ${name.padEnd(8)}  ${TEMPLATES[name].what}`);
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    const answer = (await terminal.question(`Where is memory stored?\n${lines.join('\n')}\nBackend [file]: `)).trim();
    const backend = answer === '' ? 'file' : BACKENDS.find((name) => name === answer.toLowerCase());
    if (backend === undefined) throw usageFailure(`There is no backend ${answer}. Use ${BACKENDS.join(', ')}.`);
    return backend;
  } finally {
    terminal.close();
  }
}
