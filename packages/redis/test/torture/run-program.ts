import { once } from 'node:events';
import { join } from 'node:path';
import { startProgram } from '@keepsake/testing';

/** A program of `test/programs` that runs in its own process. */
export interface RunningProgram {
  /** The lines that it printed until it ended. Rejects if it failed. */
  readonly ended: Promise<string[]>;
  /** Waits until it has printed this many lines, or has ended. */
  printed(lines: number): Promise<void>;
  /** Ends it with SIGKILL. Returns the lines that it printed. */
  kill(): Promise<string[]>;
}

export function runProgram(name: string, ...args: readonly string[]): RunningProgram {
  const child = startProgram(join(import.meta.dirname, '../programs', `${name}.ts`), args);
  let text = '';
  const lines = () => text.split('\n').slice(0, -1);
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const end = once(child, 'close');
  const ended = end.then(([code, signal]) => {
    if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}: ${text}`);
    return lines();
  });
  // A caller that kills the program does not await `ended`.
  ended.catch(() => {});
  return {
    ended,
    async printed(count) {
      while (lines().length < count && child.exitCode === null && child.signalCode === null) {
        await Promise.race([once(child.stdout, 'data'), end]);
      }
    },
    async kill() {
      child.kill('SIGKILL');
      await end;
      return lines();
    },
  };
}
