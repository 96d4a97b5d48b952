import { type Failure, inputFailure } from '../failure.ts';

/** The rest of the input cannot be read. */
export function brokenInput(problem: string, cause?: unknown): Failure {
  return inputFailure(
    `${problem}\nEverything before it was imported. Fix it and run the same command again to add the rest.`,
    cause,
  );
}
