import { expect } from 'vitest';
import { runProgram } from './run-program.ts';

/**
 * Runs a program that sends one message to a model, and returns the model's input. The arguments of the program are a
 * directory, the user's message, the model's answer, and a fate: the program `ends`, or is killed as the fate says. It prints
 * the model's input as JSON.
 */
export async function talk<Item>(
  program: string,
  directory: string,
  says: string,
  answer: string,
  fate = 'ends',
): Promise<Item[]> {
  const { stdout, signal } = await runProgram(program, [directory, says, answer, fate]);
  expect(signal).toBe(fate === 'ends' ? null : 'SIGKILL');
  return JSON.parse(stdout);
}
