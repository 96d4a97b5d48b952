import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';

/** A part of the input cannot be read. */
export class BrokenInput extends Failure {
  /** Its position and what is wrong with it. */
  readonly problem: string;

  constructor(problem: string, cause?: unknown) {
    super(
      'INPUT',
      `${problem}\nEverything before it was imported. Fix it and run the same command again to add the rest.`,
      EXIT.failed,
      cause === undefined ? {} : { cause },
    );
    this.problem = problem;
  }
}

export function brokenInput(problem: string, cause?: unknown): BrokenInput {
  return new BrokenInput(problem, cause);
}

/** The error with the name of the file, unless the input is standard input. */
export function inFile(file: string, error: BrokenInput): BrokenInput {
  return file === '-' ? error : new BrokenInput(`${file}: ${error.problem}`, error.cause);
}
