import { expect } from 'vitest';
import { runProgram } from './run-program.ts';

/**
 * What a model is given, in a process that says one thing to it: the program takes a directory, what the user says, what
 * the model answers, and whether to be `killed` right after that, and prints what the model was given as JSON.
 */
export async function talk<Item>(
  program: string,
  directory: string,
  says: string,
  answer: string,
  fate = 'ends',
): Promise<Item[]> {
  const { stdout, signal } = await runProgram(program, [directory, says, answer, fate]);
  expect(signal).toBe(fate === 'killed' ? 'SIGKILL' : null);
  return JSON.parse(stdout);
}
