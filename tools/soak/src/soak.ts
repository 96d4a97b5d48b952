import { setTimeout as sleep } from 'node:timers/promises';
import { BACKENDS } from './backends.ts';
import { Load } from './load/load.ts';
import { type Files, filesIn, type Sample, takeSample } from './sample.ts';

export interface SoakOptions {
  readonly backend: string;
  readonly minutes: number;
  /** Operations a second. */
  readonly rate: number;
  readonly seed: number;
  /** Told how far it is, a few times a minute. */
  readonly onProgress?: (line: string) => void;
}

/** What a run measured. All answers were right. */
export interface SoakResult {
  readonly operations: number;
  /** At the ends of the first part after the warm-up and of the last part. */
  readonly first: Sample;
  readonly last: Sample;
  /** Files that are there after everything was deleted. */
  readonly remains: Files | undefined;
}

const MINUTE_MS = 60_000;
const PROGRESS_MS = 20_000;

/** Gives one backend load. Rejects with the first wrong answer or failed operation. */
export async function soak({ backend: name, minutes, rate, seed, onProgress }: SoakOptions): Promise<SoakResult> {
  const start = BACKENDS[name];
  if (start === undefined) throw new Error(`There is no backend "${name}", only: ${Object.keys(BACKENDS).join(', ')}.`);
  const backend = await start();
  try {
    const opened = backend.open();
    const load = new Load(opened, seed);
    const partMs = Math.min(MINUTE_MS, (minutes * MINUTE_MS) / 4);
    const running = load.run(rate);
    const measured = measure();
    // The load ends first only by an error.
    const [first, last] = await Promise.race([measured, running.then(() => measured)]).finally(() => load.stop());
    await running;

    const reopened = backend.open();
    await load.check(reopened);
    await load.remove();
    await reopened.store.compact?.();
    await reopened.sessions.compact?.();
    for (const { store } of new Set([opened, reopened])) await store.close();
    const remains = backend.directory === undefined ? undefined : filesIn(backend.directory);
    return { operations: load.operations, first, last, remains };

    async function measure(): Promise<[Sample, Sample]> {
      const end = performance.now() + minutes * MINUTE_MS;
      await sleep(partMs);
      load.takeLatencies();
      await sleep(partMs);
      const first = await takeSample(backend, load.takeLatencies());
      while (performance.now() < end - partMs) {
        await sleep(Math.min(PROGRESS_MS, end - partMs - performance.now()));
        onProgress?.(`${name}: ${load.operations.toLocaleString('en')} operations, all right`);
      }
      load.takeLatencies();
      await sleep(end - performance.now());
      return [first, await takeSample(backend, load.takeLatencies())];
    }
  } finally {
    await backend.stop();
  }
}
