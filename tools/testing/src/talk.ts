import { expect } from 'vitest';
import { runProgram } from './run-program.ts';

/**
 * Runs a program that sends one message to a model, and returns the model's input. The arguments of the program are a
 * directory, the user's message, the model's answer, and whether to be `killed` right after it. It prints the model's input
 * as JSON.
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
