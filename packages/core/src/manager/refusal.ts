import { isMemoryError, type MemoryErrorCode } from '../errors.ts';

const FOR_GOOD: readonly MemoryErrorCode[] = ['INVALID_ARGUMENT', 'UNSUPPORTED', 'READ_ONLY', 'TOO_LARGE'];

/** What a store or an extractor won't take, however often it is asked. */
export class Refusal {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Gives what comes of a call; rejects with a {@link Refusal} where it would fail each time. */
export async function orRefusal<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw FOR_GOOD.some((code) => isMemoryError(error, code)) ? new Refusal(error) : error;
  }
}
