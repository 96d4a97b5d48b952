import { isMemoryError } from '@keepsake/core';
import { untilStopped } from '@keepsake/internal/node';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { guardedHandler } from '../http/guarded-handler.ts';
import { memoryServer, VERSION } from '../memory-server.ts';
import { serveHttp } from '../serve-http.ts';
import { type Arguments, HELP, readArguments } from './arguments.ts';
import { type OpenedMemory, openMemory } from './open-memory.ts';
import { TOKEN_VARIABLE, tokenOfEnvironment, verifierOf } from './token.ts';

/** Runs the server until its client or a signal ends it. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const options = readArguments(args);
    if (options.print !== undefined) {
      process.stdout.write(options.print === 'help' ? HELP : `${VERSION}\n`);
      return 0;
    }
    const memory = await openMemory(options);
    try {
      await (options.http ? overHttp(memory, options) : overStdio(memory, options));
    } finally {
      await memory.close();
    }
    return 0;
  } catch (error) {
    log(error);
    return isMemoryError(error, 'INVALID_ARGUMENT') ? 2 : 1;
  }
}

async function overStdio(memory: OpenedMemory, { readOnly, compat }: Arguments): Promise<void> {
  const { store, sessions } = memory;
  // Before the first message, because its end may follow at once.
  const stopped = untilStopped(process.stdin);
  const server = serveStdio(memoryServer({ store, sessions, readOnly, compat, onError: log }), { onerror: log });
  await stopped;
  await server.close();
}

async function overHttp(memory: OpenedMemory, { readOnly, compat, port }: Arguments): Promise<void> {
  const { token, isNew } = tokenOfEnvironment();
  const { store, sessions } = memory;
  const factory = memoryServer({ store, sessions, readOnly, compat, onError: log });
  const handler = guardedHandler(factory, { auth: { verifier: verifierOf(token) }, onError: log });
  const stopped = untilStopped();
  const server = await serveHttp(handler, { port });
  const about = isNew ? `\nBearer token of this run: ${token}\nSet ${TOKEN_VARIABLE} to choose one.` : '';
  process.stderr.write(`keepsake-mcp: listening on ${server.url}${about}\n`);
  await stopped;
  await server.close();
}

/** Standard output is for messages of the protocol alone. */
function log(error: unknown): void {
  const { message = String(error), cause } = error as { readonly message?: string; readonly cause?: unknown };
  const why = cause instanceof Error && !message.includes(cause.message) ? `\n(${cause.message})` : '';
  process.stderr.write(`keepsake-mcp: ${message}${why}\n`);
}
