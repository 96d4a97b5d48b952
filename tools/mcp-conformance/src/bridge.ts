import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { MemoryHandler } from '@keepsake/mcp';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const SESSION = 'mcp-session-id';

/**
 * Puts a stdio server behind HTTP, because the conformance suite tests URLs alone. The first message of a process decides on
 * its protocol, so there is one for each handshake of the older protocol, one for all requests of each version that a request
 * names, and one for each request that names none. Each message passes as it is, except that ids are made unique.
 */
export function bridgeTo(command: readonly string[]): MemoryHandler {
  const servers = new Map<string, StdioServer>();
  const serverOf = (session: string) => {
    const server = servers.get(session) ?? new StdioServer(command);
    servers.set(session, server);
    return server;
  };
  return {
    async fetch(request) {
      if (request.method !== 'POST') return new Response(null, { status: 405 });
      const message: Message = await request.json();
      const isHandshake = message.method === 'initialize';
      const ofRequest = request.headers.get(SESSION) ?? message.params?._meta?.[VERSION];
      const session = isHandshake || ofRequest === undefined ? randomUUID() : String(ofRequest);
      const answer = await serverOf(session).send(message);
      const headers: HeadersInit = isHandshake ? { [SESSION]: session } : {};
      return answer === undefined ? new Response(null, { status: 202 }) : Response.json(answer, { headers });
    },
    async close() {
      for (const server of servers.values()) server.close();
    },
  };
}

class StdioServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (answer: Message) => void>();
  #last = 0;

  constructor([command, ...args]: readonly string[]) {
    this.#child = spawn(command ?? '', args);
    createInterface(this.#child.stdout).on('line', (line) => {
      const answer: Message = JSON.parse(line);
      this.#waiting.get(Number(answer.id))?.(answer);
    });
  }

  /** Sends a message, and returns the answer to a request. */
  async send(message: Message): Promise<Message | undefined> {
    const id = ++this.#last;
    const { id: given } = message;
    this.#child.stdin.write(`${JSON.stringify(given === undefined ? message : { ...message, id })}\n`);
    if (given === undefined) return undefined;
    const answer = await new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#waiting.delete(id);
    return { ...answer, id: given };
  }

  close(): void {
    this.#child.stdin.end();
  }
}
