import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

type Reply = { readonly answer: unknown } | { readonly error: string };

/** A program of `children/` in a separate process, which answers one request at a time. */
export class Child<Request> {
  readonly #process: ChildProcess;
  readonly #program: string;

  /** @param flags - For Node. */
  constructor(program: string, flags: readonly string[] = []) {
    this.#program = program;
    this.#process = fork(join(import.meta.dirname, 'children', `${program}.ts`), {
      execArgv: [...process.execArgv, ...flags],
      // Output of peers must not mix with the results.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  }

  async ask<Answer>(request: Request): Promise<Answer> {
    const reply = await new Promise<Reply>((resolve, reject) => {
      const end = (code: number | null) => reject(new Error(`The program ${this.#program} ended with ${code}.`));
      this.#process.once('exit', end).once('message', (message) => {
        this.#process.off('exit', end);
        resolve(message as Reply);
      });
      this.#process.send(request as object);
    });
    if ('error' in reply) throw new Error(`The program ${this.#program} failed: ${reply.error}`);
    return reply.answer as Answer;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || !this.#process.connected) return;
    this.#process.disconnect();
    await once(this.#process, 'exit');
  }
}

/** Starts a program, sends it one request, and ends it. */
export async function askChild<Request, Answer>(
  program: string,
  request: Request,
  flags?: readonly string[],
): Promise<Answer> {
  const child = new Child<Request>(program, flags);
  try {
    return await child.ask<Answer>(request);
  } finally {
    await child.end();
  }
}

/** For use in such a program: answers requests until the parent disconnects. */
export function serve<Request>(answer: (request: Request) => Promise<unknown>): void {
  process.on('message', async (request) => {
    try {
      process.send?.({ answer: (await answer(request as Request)) ?? null } satisfies Reply);
    } catch (error) {
      process.send?.({ error: (error as Error).stack ?? String(error) } satisfies Reply);
    }
  });
  // A peer may have left handles open.
  process.once('disconnect', () => process.exit());
}
