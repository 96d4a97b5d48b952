import { expect } from 'vitest';
import { runProgram } from './run-program.ts';

/** For the example and the processes that it starts. */
const PATIENT = `--import=${new URL('patient-deadlines.mjs', import.meta.url).href}`;

/**
 * Runs the main program of a bridge example, which must know in one process what it was told in another.
 *
 * @param key - The variable with the API key of the real model.
 * @param warnings - Whether Node may warn. Before 24.15, it calls SQLite experimental.
 */
export async function expectExampleToRemember(
  main: string,
  cwd: string,
  key: string,
  { warnings = true }: { readonly warnings?: boolean } = {},
): Promise<void> {
  const environment = { [key]: undefined, NODE_OPTIONS: PATIENT, ...(warnings ? {} : { NODE_NO_WARNINGS: '1' }) };
  const { stdout, stderr, status } = await runProgram(main, [], { cwd, environment });
  expect([status, stderr]).toEqual([0, '']);
  expect(new Set(stdout.match(/process \d+/g)).size).toBe(2);
  const answers = [...stdout.matchAll(/Agent: (.*)/g)].map(([, answer]) => answer);
  expect(answers).toEqual(['Thank you, I will remember that.', 'You told me: "My sister Runa has moved to Tromsø."']);
}
