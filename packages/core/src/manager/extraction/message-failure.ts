import { isMemoryError, type MemoryErrorCode } from '../../common/errors.ts';
import { callFailure, MAX_TRIES } from '../../model/call-failure.ts';

const PERMANENT: readonly MemoryErrorCode[] = ['INVALID_ARGUMENT', 'UNSUPPORTED', 'READ_ONLY', 'TOO_LARGE'];

/** Whether a store or an extractor refuses what it got for good. */
export function isPermanent(error: unknown): boolean {
  return PERMANENT.some((code) => isMemoryError(error, code));
}

/** A failure that one of the messages may cause, such as a refusal of the model. Every other failure is an outage. */
export class MessageFailure {
  readonly error: unknown;
  /** Whether the error itself says that a message is the cause. If not, the model may be down. */
  readonly isCertain: boolean;
  /** After this many failures alone, a message is given up. */
  readonly maxTries: number;

  constructor(error: unknown) {
    const kind = isPermanent(error) ? 'refusal' : callFailure(error);
    this.error = error;
    this.isCertain = kind === 'refusal';
    this.maxTries = isPermanent(error) ? 1 : MAX_TRIES[kind];
  }
}

/** Returns the answer of an extractor. Rejects with a {@link MessageFailure} unless the failure is an outage. */
export async function orMessageFailure<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw signal.aborted || callFailure(error) === 'passing' ? error : new MessageFailure(error);
  }
}
