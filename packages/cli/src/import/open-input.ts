import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { EXIT } from '../exit-codes.ts';
import { Failure, usageFailure } from '../failure.ts';

/** What is imported, as bytes. */
export class Input {
  /** How much there is, where that is known. */
  readonly totalBytes: number | undefined;
  readonly #stream: Readable;
  readonly #signal: AbortSignal;
  #bytesRead = 0;

  constructor(stream: Readable, signal: AbortSignal, totalBytes: number | undefined) {
    this.#stream = stream;
    this.#signal = signal;
    this.totalBytes = totalBytes;
    addAbortSignal(signal, stream);
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** @throws the reason of the signal once it is aborted, also in the middle of waiting for input. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
        this.#bytesRead += chunk.length;
        yield chunk;
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      throw new Failure('INPUT', `The input can't be read: ${(error as Error).message}`, EXIT.failed, { cause: error });
    }
    this.#signal.throwIfAborted();
  }
}

/** Opens a file, or standard input for `-`. */
export async function openInput(file: string, signal: AbortSignal): Promise<Input> {
  if (file === '-') return new Input(process.stdin, signal, undefined);
  try {
    const handle = await open(file);
    const stat = await handle.stat();
    if (stat.isDirectory()) throw usageFailure(`${file} is a folder. Name a file in it.`);
    const stream = handle.createReadStream();
    return new Input(stream, signal, stat.isFile() ? stat.size : undefined);
  } catch (error) {
    throw error instanceof Failure ? error : usageFailure(explain(file, error), error);
  }
}

function explain(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `There is no file ${file}.`;
  if (code === 'EACCES' || code === 'EPERM') return `${file} may not be read by this user.`;
  return `${file} can't be read: ${message}`;
}
