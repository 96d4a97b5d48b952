import { join } from 'node:path';
import { type Fault, signatureOf } from './fault.ts';
import type { NamedTarget } from './find-targets.ts';
import { runTask } from './run-task.ts';
import { LIMITS, type Limits } from './task.ts';

/** Which inputs of a target to run. */
export interface Share {
  readonly seed: number;
  readonly firstInput: number;
  /** The number after the last input. */
  readonly endInput: number;
  /** The time after which no input starts. */
  readonly durationMs: number;
}

/** A fault, and the file with its input. */
export interface FoundFault extends Fault {
  readonly savedTo: string;
  /** The inputs that repeat the fault: its own, or all before it too. */
  readonly inputs: string;
}

/** What the inputs of a target did. */
export interface TargetResult {
  readonly name: string;
  readonly seed: number;
  readonly inputCount: number;
  readonly faults: readonly FoundFault[];
}

/** After this number of different faults, a target has enough to tell. */
const MAX_FAULTS = 5;
/** The same for processes that had to stop, each of which takes seconds. */
const MAX_STOPS = 3;

/** Runs a share of the inputs of a target, and saves an input of each different fault in `directory`. */
export async function runTarget(
  target: NamedTarget,
  share: Share,
  directory: string,
  limits: Limits = LIMITS,
): Promise<TargetResult> {
  const { file, exportName, name } = target;
  const { seed, endInput } = share;
  const startMs = performance.now();
  const found = new Map<string, FoundFault>();
  let firstInput = share.firstInput;
  let stops = 0;
  while (firstInput < endInput && found.size < MAX_FAULTS && stops < MAX_STOPS) {
    const durationMs = share.durationMs - (performance.now() - startMs);
    if (durationMs <= 0) break;
    const task = { file, exportName, name, seed, endInput, firstInput, durationMs, limits, isRepeat: false };
    const work = await runTask(task);
    for (const fault of work.faults) {
      if (found.has(signatureOf(fault))) continue;
      const savedTo = join(directory, `${name.replaceAll('/', '-')}-${seed}-${fault.input}.txt`);
      const alone = { ...task, firstInput: fault.input, endInput: fault.input + 1, durationMs: 60_000 };
      const { faults } = await runTask({ ...alone, saveTo: savedTo, isRepeat: true });
      // Alone and with an idle processor, it is fast.
      if ((fault.kind === 'hang' || fault.kind === 'growth') && faults.length === 0) continue;
      // What it does alone is what it is: one that fills the memory can first seem to hang.
      const shown = faults[0] ?? fault;
      const signature = signatureOf(shown);
      if (found.has(signature)) continue;
      const inputs = faults.length > 0 ? String(fault.input) : `${firstInput}-${fault.input}`;
      found.set(signature, { ...shown, savedTo, inputs });
    }
    firstInput = work.nextInput;
    if (!work.isStopped) break;
    stops++;
  }
  return { name, seed, inputCount: firstInput - share.firstInput, faults: [...found.values()] };
}
