/** The inputs of one target that a process works through. */
export interface Task {
  /** The module of the target. */
  readonly file: string;
  /** The name of its export. */
  readonly exportName: string;
  /** The name of the target, which the inputs depend on. */
  readonly name: string;
  readonly seed: number;
  readonly firstInput: number;
  /** The number after the last input. */
  readonly endInput: number;
  /** The time in milliseconds after which no input starts. */
  readonly durationMs: number;
  /** Where the process leaves its progress, its faults and its temporary files. */
  readonly directory: string;
  /** Where the first input goes, in a form to read. */
  readonly saveTo?: string;
  readonly limits: Limits;
  /** Whether each input runs several times, so that the shortest one tells whether it hangs. */
  readonly isRepeat: boolean;
}

/** The number of the current input, as text. */
export const PROGRESS_FILE = 'progress';
/** One fault in JSON per line. */
export const FAULTS_FILE = 'faults.jsonl';

/** What an input may take. */
export interface Limits {
  /** Of one run. A slower input is run three times alone, and its shortest run counts. A run of four times as long is stopped. */
  readonly maxCpuMs: number;
  /** In all, most of it spent waiting. */
  readonly maxWaitMs: number;
  readonly maxHeapMib: number;
  /** Heap, buffers, and what native code holds. */
  readonly maxResidentMib: number;
  /** The most that four times the length may multiply the processor time with. Quadratic work multiplies it with 16. */
  readonly maxGrowth: number;
  /** Work of less processor time is not compared: collecting garbage and compiling count more. */
  readonly minComparedMs: number;
}

export const LIMITS: Limits = {
  // Grown inputs need 0.5 to 1.3 s of a busy machine, where everything takes several times as long as on an idle one.
  maxCpuMs: 3000,
  maxWaitMs: 60_000,
  maxHeapMib: 512,
  maxResidentMib: 1024,
  maxGrowth: 8,
  // On a busy machine, the same input takes 20 to 250 ms. What grows with the square of its length takes seconds.
  minComparedMs: 1500,
};
