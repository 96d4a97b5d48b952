import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { Faults } from './faults.ts';
import type { Service, ServiceAnswer, ServiceRequest } from './service.ts';

/** A received request, for tests that count requests. */
export type SeenRequest = Pick<ServiceRequest, 'method' | 'path'>;

/** A running server. */
export interface RunningServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly faults: Faults;
  /** Every request so far, in order of arrival, including those with a fault. */
  readonly requests: readonly SeenRequest[];
  /** Stops the server and closes its connections. */
  stop(): Promise<void>;
}

/** Creates the server of a protocol, by default HTTP/1.1. */
export type MakeServer = (listener: RequestListener) => Server & { closeAllConnections(): void };

/** Serves a service on 127.0.0.1, on a free port unless one is given. */
export async function startServer(
  service: Service,
  port = 0,
  makeServer: MakeServer = createServer,
): Promise<RunningServer> {
  const faults = new Faults();
  const requests: SeenRequest[] = [];
  const server = makeServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push({ method: request.method, path: request.path });
    await respond(service, faults, request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  return {
    method: incoming.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: incoming.headers as Record<string, string | undefined>,
    body: Buffer.concat(await incoming.toArray()),
  };
}

async function respond(
  service: Service,
  faults: Faults,
  request: ServiceRequest,
  response: ServerResponse,
): Promise<void> {
  const fault = faults.strike(request);
  if (fault?.kind === 'status') {
    const answer = service.failure(fault.status, request);
    send(response, { ...answer, headers: { ...answer.headers, ...fault.headers } });
    return;
  }
  if (fault?.kind === 'cut' && fault.place === 'before') {
    response.destroy();
    return;
  }
  if (fault?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms));
  const answer = await service.answer(request);
  if (fault?.kind !== 'cut') send(response, answer);
  else if (fault.place === 'after') response.destroy();
  else sendHalf(response, answer);
}

function send(response: ServerResponse, { status, body, headers }: ServiceAnswer): void {
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(bytesOf(body));
}

function bytesOf(body: ServiceAnswer['body']): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

/** Announces the whole response and breaks off in the middle. */
function sendHalf(response: ServerResponse, { status, body }: ServiceAnswer): void {
  const whole = Buffer.from(bytesOf(body));
  // A response without a body has no middle, so it gets one.
  const bytes = whole.length < 2 ? Buffer.from('  ') : whole;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}
