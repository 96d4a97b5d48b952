// A process that runs the inputs of a task. It may be killed at any time, so it leaves every fault in a file at once.
import { appendFileSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Random } from '@keepsake/testing/fuzz/random';
import type { FuzzTarget } from '@keepsake/testing/fuzz/target';
import { seedOf } from '@keepsake/testing/mulberry32';
import { type Fault, textOfError } from './fault.ts';
import { FAULTS_FILE, PROGRESS_FILE, type Task } from './task.ts';

const REPEATS = 3;
/** One input in this number is grown: two lengths take longer than most inputs. */
const GROWN_EVERY = 25;
const GROWN_LENGTH = 2 ** 16;

const task = JSON.parse(process.argv[2] as string) as Task;
const { directory, limits } = task;
const progress = openSync(join(directory, PROGRESS_FILE), 'w');
/** The number of the current input, and that of the run: an input may run several times. */
const current = new Int32Array(new SharedArrayBuffer(8));
current[0] = -1;

const target = ((await import(task.file)) as Record<string, FuzzTarget>)[task.exportName] as FuzzTarget;
const watchdog = new Worker(new URL('watchdog.ts', import.meta.url), {
  workerData: { current, directory, limits },
});
await new Promise((started) => watchdog.once('online', started));
// Errors of what an input has started, and nobody waits for.
process.on('unhandledRejection', reportError).on('uncaughtException', reportError);

process.on('disconnect', () => process.exit(1));

try {
  await runInputs();
  process.exit(0);
} catch (error) {
  // The target could not make an input. The watchdog would keep the process alive.
  console.error(error);
  process.exit(1);
}

async function runInputs(): Promise<void> {
  const endMs = performance.now() + task.durationMs;
  for (let input = task.firstInput; input < task.endInput && performance.now() < endMs; input++) {
    writeSync(progress, String(input).padEnd(20), 0);
    Atomics.store(current, 0, input);
    if (task.saveTo !== undefined) save(await target.input(randomOf(input)), task.saveTo);
    const [usedMs] = await leastMs(() => target.input(randomOf(input)));
    if (usedMs > limits.maxCpuMs) report('hang', `The input takes ${Math.round(usedMs)} ms of processor time.`);
    if (target.grown !== undefined && input % GROWN_EVERY === 0) await compareLengths(target.grown.bind(target), input);
  }
}

/** Reports work that grows faster than its input, unless both lengths take too little time to compare. */
async function compareLengths(grown: NonNullable<FuzzTarget['grown']>, number: number): Promise<void> {
  const ofLength = (times: number) => () => grown(randomOf(number), times * GROWN_LENGTH);
  const [shortMs, longMs] = await leastMs(ofLength(1), ofLength(4));
  if (longMs < limits.minComparedMs || longMs / Math.max(1, shortMs) <= limits.maxGrowth) return;
  // The short one may be refused at its beginning, and then takes next to nothing.
  const [middleMs, longerMs] = await leastMs(ofLength(4), ofLength(8));
  if (longerMs / middleMs <= Math.sqrt(limits.maxGrowth)) return;
  if (task.saveTo !== undefined) save(await grown(randomOf(number), GROWN_LENGTH), task.saveTo);
  const times = `${Math.round(shortMs)} ms for a length of ${GROWN_LENGTH}, ${Math.round(longMs)} ms for four times that`;
  report('growth', `The processor time grows faster than the input: ${times}.`);
}

function randomOf(number: number): Random {
  return new Random(seedOf(`${task.name} ${number}`, task.seed));
}

/** The processor time in milliseconds of the shortest run of each. They run in turn, because a machine can be slow for seconds. */
async function leastMs<Makers extends (() => unknown)[]>(...makers: Makers): Promise<{ [At in keyof Makers]: number }> {
  const shortest = makers.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < (task.isRepeat ? REPEATS : 1); run++) {
    for (const [at, make] of makers.entries()) {
      shortest[at] = Math.min(shortest[at] as number, await runInput(await make()));
    }
  }
  return shortest as { [At in keyof Makers]: number };
}

/** Returns the processor time in milliseconds. */
async function runInput(input: unknown): Promise<number> {
  Atomics.add(current, 1, 1);
  const start = process.cpuUsage();
  try {
    await target.run(input);
  } catch (error) {
    reportError(error);
  }
  // Rejections that nobody waits for are reported before the next turn.
  await nextTurn();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function reportError(error: unknown): void {
  const text = textOfError(target, error);
  if (text !== undefined) report('error', text);
}

function report(kind: Fault['kind'], text: string): void {
  const fault: Fault = { kind, input: Atomics.load(current, 0), text };
  appendFileSync(join(directory, FAULTS_FILE), `${JSON.stringify(fault)}\n`);
}

function save(input: unknown, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const isPlain = typeof input === 'string' || input instanceof Uint8Array;
  const options = { depth: 20, maxArrayLength: 1000, maxStringLength: 1_000_000, breakLength: 120 };
  writeFileSync(path, isPlain ? input : inspect(input, options));
}
