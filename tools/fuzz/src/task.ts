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
  /** Whether each input runs several times, so that the shortest one tells whether it hangs. */
  readonly isRepeat: boolean;
}

/** The number of the current input, as text. */
export const PROGRESS_FILE = 'progress';
/** One fault in JSON per line. */
export const FAULTS_FILE = 'faults.jsonl';

/** The processor time that an input may take. */
export const MAX_CPU_MS = 1000;
/** The time that an input may take in all, most of it spent waiting. */
export const MAX_WAIT_MS = 60_000;
export const MAX_HEAP_MIB = 512;
/** Heap, buffers, and what native code holds. */
export const MAX_RESIDENT_MIB = 1024;
