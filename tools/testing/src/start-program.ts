import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { commandOf } from './program-command.ts';

/**
 * Starts a TypeScript file against the sources of the workspace, in a separate process, with its errors in the output of
 * the tests. Kills it at the end of the test: a program that outlived a failed test would keep its output open, and with
 * it the run of all tests.
 */
export function startProgram(
  path: string,
  args: readonly string[] = [],
): ChildProcessByStdio<Writable, Readable, null> {
  const child = spawn(process.execPath, [...commandOf(path), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
