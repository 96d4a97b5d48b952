import { isMemoryError, type RecordStore, type Session } from '@keepsake/core';

/** What became of a change. Each is a line of the process that made it. */
export interface Change {
  readonly kind: 'append' | 'put';
  /** Unique within the process, and rising. */
  readonly number: number;
  /** The code of the error; `undefined` if the change was acknowledged. */
  readonly code?: string;
  readonly retryable?: boolean;
  /** Of the error. */
  readonly message?: string;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
}

/** Appends to a session and puts records in turn until standard input ends. Prints every outcome. */
export async function writeOn(writer: string, session: Session, store: RecordStore): Promise<void> {
  let over = false;
  process.stdin.on('end', () => {
    over = true;
  });
  process.stdin.resume();
  console.log('ready');
  for (let number = 0; !over; number++) {
    const kind = number % 2 === 0 ? 'append' : 'put';
    const change =
      kind === 'append'
        ? session.addItems([{ writer, number }])
        : store.put({ id: `${writer} ${number}`, content: `heron ${number}` });
    const failure = await change.then(
      () => ({}),
      (error) => ({
        code: isMemoryError(error) ? error.code : String(error),
        retryable: error.retryable,
        message: error.message,
      }),
    );
    console.log(JSON.stringify({ kind, number, ...failure, at: Date.now() } satisfies Change));
  }
}
