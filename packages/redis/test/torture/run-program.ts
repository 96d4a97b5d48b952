import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A program of `test/programs`, as a process of its own. */
export interface RunningProgram {
  /** The lines that it has said, once it has ended by itself; throws where it failed. */
  readonly ended: Promise<string[]>;
  /** Waits for so many lines, or for its end. */
  said(lines: number): Promise<void>;
  /** Ends it with SIGKILL, and gives the lines that it has said. */
  kill(): Promise<string[]>;
}

export function runProgram(name: string, ...args: readonly string[]): RunningProgram {
  const path = join(import.meta.dirname, '../programs', `${name}.ts`);
  const child = spawn(process.execPath, ['--conditions=@keepsake/source', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
  // Whoever kills it doesn't ask how it has ended.
  ended.catch(() => {});
  return {
    ended,
    async said(count) {
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
