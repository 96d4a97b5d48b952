import { callFailure, MAX_TRIES } from '../../model/call-failure.ts';
import { orRefusal, Refusal } from '../search/refusal.ts';

/** A failure that one of the messages may cause, such as a refusal of the model. */
export class Unlearnable {
  readonly error: unknown;
  /** Whether the same messages would fail again. If not, the model may be down, and they would be saved later. */
  readonly isCertain: boolean;
  /** After this many failures alone, a message is given up. */
  readonly maxTries: number;

  constructor(error: unknown, isCertain: boolean, maxTries: number) {
    this.error = error;
    this.isCertain = isCertain;
    this.maxTries = maxTries;
  }
}

/** Returns the changes of an extractor. Rejects with an {@link Unlearnable} unless the failure is sure to pass. */
export async function orUnlearnable<T>(extracted: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await orRefusal(extracted);
  } catch (thrown) {
    const error = thrown instanceof Refusal ? thrown.error : thrown;
    const kind = callFailure(error);
    if (signal.aborted || kind === 'passing') throw error;
    if (thrown instanceof Refusal) throw new Unlearnable(error, true, 1);
    throw new Unlearnable(error, kind === 'refusal', MAX_TRIES[kind]);
  }
}

/** Returns the result of a store. Rejects with an {@link Unlearnable} if the store refuses what it got for good. */
export async function unlessRefused<T>(saved: Promise<T>): Promise<T> {
  try {
    return await orRefusal(saved);
  } catch (error) {
    throw error instanceof Refusal ? new Unlearnable(error.error, true, 1) : error;
  }
}
