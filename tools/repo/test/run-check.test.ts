import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { runCheck } from '../src/run-check.ts';

afterEach(() => void vi.restoreAllMocks());

const here = { cwd: import.meta.dirname, env: process.env };

/** Runs a check, and returns whether it succeeded and what it wrote. */
async function run(command: string, minutes?: number) {
  let output = '';
  const onOutput = (chunk: Buffer) => {
    output += chunk;
  };
  const succeeded = await runCheck(command, { ...here, onOutput, ...(minutes !== undefined && { minutes }) });
  return { succeeded, output };
}

it('a check succeeds or fails by its exit status, and its output arrives whole', async () => {
  expect(await run('echo out; echo error >&2')).toEqual({ succeeded: true, output: 'out\nerror\n' });
  expect(await run('echo out; exit 3')).toEqual({ succeeded: false, output: 'out\n' });
  expect(await runCheck('exit 0', here)).toBe(true);
  expect(await runCheck('exit 3', here)).toBe(false);
});

it('a check that takes too long fails, and every process that it started ends', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  // The second process keeps the output open after the first has ended.
  const { succeeded, output } = await run('sleep 1000 & echo $!; exit 1', 0.05);
  expect(succeeded).toBe(false);
  expect(output).toMatch(/^\d+\n$/);
  expect(said).toHaveBeenCalledWith(expect.stringContaining('Killed after 0.05 minutes: sleep'));
  const isRunning = () => {
    try {
      return process.kill(Number(output), 0);
    } catch {
      return false;
    }
  };
  while (isRunning()) await wait(10);
});

it('a check that leaves a process in another group fails at its limit', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  // The shell has long ended, with success.
  const { succeeded, output } = await run('setsid sleep 1000 & echo $!; exit 0', 0.05);
  process.kill(Number(output), 'SIGKILL');
  expect(succeeded).toBe(false);
  expect(said).toHaveBeenCalledWith(expect.stringContaining('Killed after 0.05 minutes: setsid'));
});
