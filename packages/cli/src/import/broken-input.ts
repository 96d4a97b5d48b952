import { type Failure, inputFailure } from '../failure.ts';

/** The input can't be read any further. */
export function brokenInput(problem: string, cause?: unknown): Failure {
  return inputFailure(
    `${problem}\nWhat stands before it was imported. Once it is mended, the same command adds what is missing.`,
    cause,
  );
}
