import { join } from 'node:path';
import { closingLine, failedCheck, type Results, readReports, sum } from './results.ts';
import { runCheck } from './run-check.ts';

export const ROOT = join(import.meta.dirname, '../../..');
/** Where tests leave their results: one JSON report for each run of Vitest. */
export const RESULTS = join(ROOT, 'test-results');

/** A command that checks something. */
export interface Part {
  readonly name: string;
  readonly command: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The time limit, well above what the part takes, so that one that hangs leaves time for the others. */
  readonly minutes: number;
  /** Whether it shows its output while it runs; otherwise when it has ended. */
  readonly live?: boolean;
  /** The reports of its tests, as patterns relative to {@link RESULTS}. Without any, the part passes or fails as a whole. */
  readonly reports?: readonly string[];
}

/** Parts that run together: lanes concurrently, the parts of a lane one after the other. */
export type Lanes = readonly (readonly Part[])[];

/** What a part has counted, and how long it took. */
export interface Outcome {
  readonly name: string;
  readonly results: Results;
  readonly minutes: number;
}

/** Runs lanes of parts: lanes concurrently, the parts of a lane one after the other, even after a failure. */
export async function runLanes(lanes: Lanes): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const runLane = async (lane: readonly Part[]) => {
    for (const part of lane) outcomes.push(await runPart(part));
  };
  await Promise.all(lanes.map(runLane));
  return outcomes;
}

async function runPart({ name, command, env, minutes, live = false, reports }: Part): Promise<Outcome> {
  const start = performance.now();
  const output: Buffer[] = [];
  const title = `\n── ${name}: ${command}\n`;
  if (live) process.stdout.write(title);
  const succeeded = await runCheck(command, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    minutes,
    ...(!live && { onOutput: (chunk: Buffer) => output.push(chunk) }),
  });
  if (!live) process.stdout.write(Buffer.concat([Buffer.from(title), ...output]));
  const tests = reports === undefined ? undefined : readReports(reports, RESULTS);
  const results = resultsOf(name, succeeded, tests);
  const took = (performance.now() - start) / 60_000;
  console.log(`${name}: ${succeeded ? 'done' : 'failed'} in ${took.toFixed(1)} min, ${closingLine(results)}`);
  return { name, results, minutes: took };
}

/** The result of a part. If it failed without a failed test, or had tests and ran none, that counts as one failure. */
export function resultsOf(name: string, succeeded: boolean, tests: Results | undefined): Results {
  if (tests === undefined) return succeeded ? sum([]) : failedCheck(name);
  if (tests.failed > 0) return tests;
  if (!succeeded) return sum([tests, failedCheck(name)]);
  return tests.passed > 0 ? tests : failedCheck(`${name} ran no test`);
}
