import { isMemoryError, type MemoryErrorCode } from '../../common/errors.ts';

const FOR_GOOD: readonly MemoryErrorCode[] = ['INVALID_ARGUMENT', 'UNSUPPORTED', 'READ_ONLY', 'TOO_LARGE'];

/** A permanent refusal by a store or an extractor. */
export class Refusal {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Returns the result of a call. Rejects with a {@link Refusal} for permanent failures. */
export async function orRefusal<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw FOR_GOOD.some((code) => isMemoryError(error, code)) ? new Refusal(error) : error;
  }
}
