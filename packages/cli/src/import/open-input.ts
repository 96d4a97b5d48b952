import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { Failure, inputFailure, usageFailure } from '../failure.ts';
import { pathOf, type Surroundings } from '../surroundings.ts';

/** The bytes of an import. */
export class Input {
  /** The size of the input, if known. */
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

  /** @throws The reason of the signal once it is aborted, even while waiting for input. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
        this.#bytesRead += chunk.length;
        yield chunk;
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      throw inputFailure(`Cannot read the input: ${(error as Error).message}`, error);
    }
    this.#signal.throwIfAborted();
  }
}

/** Opens a file, or standard input for `-`. */
export async function openInput(file: string, surroundings: Surroundings, signal: AbortSignal): Promise<Input> {
  if (file === '-') return new Input(surroundings.stdin, signal, undefined);
  const path = pathOf(surroundings, file);
  try {
    const handle = await open(path);
    const stat = await handle.stat();
    if (stat.isDirectory()) {
      await handle.close();
      throw usageFailure(`${file} is a directory. Pass a file.`);
    }
    const stream = handle.createReadStream();
    return new Input(stream, signal, stat.isFile() ? stat.size : undefined);
  } catch (error) {
    throw error instanceof Failure ? error : usageFailure(explain(file, path, error), error);
  }
}

function explain(file: string, path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `There is no file ${file}.`;
  if (code === 'EACCES' || code === 'EPERM') return `This user has no permission to read ${file}.`;
  return `Cannot read ${file}: ${message.replace(path, () => file)}`;
}
