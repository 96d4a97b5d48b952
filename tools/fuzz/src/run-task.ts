import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from './fault.ts';
import { FAULTS_FILE, PROGRESS_FILE, type Task } from './task.ts';

/** What a process has done. */
export interface Work {
  /** The number of the next input. */
  readonly nextInput: number;
  readonly faults: readonly Fault[];
  /** Whether the process stopped before its end. */
  readonly isStopped: boolean;
}

const CHILD = join(import.meta.dirname, 'child.ts');
/** The compiled code that all tests of the repository reuse. */
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/keepsake-compiled');

/** Runs the inputs of a task in a process of its own, which a crash, a loop or too much memory ends. */
export async function runTask(task: Omit<Task, 'directory'>): Promise<Work> {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-fuzz-'));
  const temporary = join(directory, 'tmp');
  mkdirSync(temporary);
  const { maxHeapMib } = task.limits;
  try {
    const args = ['--conditions=@keepsake/source', `--max-old-space-size=${maxHeapMib}`, CHILD];
    const running = spawn(process.execPath, [...args, JSON.stringify({ ...task, directory })], {
      // The channel closes when this process ends, so that no child outlives it.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...process.env,
        NODE_NO_WARNINGS: '1',
        TMPDIR: temporary,
        TEMP: temporary,
      },
    });
    let stderr = '';
    running.stderr?.on('data', (chunk) => {
      stderr = (stderr + chunk).slice(-8000);
    });
    const isStopped = await new Promise<boolean>((resolve, reject) => {
      running.on('error', reject).on('close', (status) => resolve(status !== 0));
    });
    const last = Number(readIfThere(join(directory, PROGRESS_FILE)) || Number.NaN);
    if (Number.isNaN(last)) throw new Error(`The process did not start:\n${stderr}`);
    const faults = readFaults(directory);
    const isExplained = faults.some(({ kind, input }) => kind !== 'error' && input === last);
    if (isStopped && !isExplained) faults.push(crash(last, stderr, maxHeapMib));
    return { nextInput: last + 1, faults, isStopped };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function readFaults(directory: string): Fault[] {
  const lines = readIfThere(join(directory, FAULTS_FILE)).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Fault);
}

function crash(input: number, stderr: string, maxHeapMib: number): Fault {
  const isHeap = stderr.includes('heap out of memory');
  const text = isHeap ? `The heap is larger than ${maxHeapMib} MiB.` : `The process crashed:\n${stderr}`;
  return { kind: isHeap ? 'memory' : 'crash', input, text };
}
