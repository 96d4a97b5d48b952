import { performance } from 'node:perf_hooks';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Fact, MemoryServer } from './memory-server.ts';

const PROCESSES = 4;
const WRITES = 50;
/** Longer than a busy machine takes to start a process. */
const START_MS = 300_000;
/** How many facts a question is asked about, and how often. */
const FACTS = 1_000;
const QUESTIONS = 50;

export interface Measured {
  readonly name: string;
  readonly tools: number;
  /** The size of the list of tools, which each conversation carries. */
  readonly toolBytes: number;
  /** Writes that the server confirmed, and how many of them a new process finds. */
  readonly confirmed: number;
  readonly kept: number;
  /** The middle of the time of a question over stdio, and of the size of its answer; `undefined` without a search. */
  readonly askMs: number | undefined;
  readonly answerBytes: number | undefined;
}

/** Measures one server in two new directories. */
export async function measureServer(
  server: MemoryServer,
  peers: string,
  [shared, single]: readonly [string, string],
): Promise<Measured> {
  const { confirmed, kept } = await writeAtOnce(server, peers, shared);
  const client = await connect(server, peers, single);
  try {
    const { tools } = await client.listTools();
    for (let number = 0; number < FACTS; number++) await server.write(client, factOf(number));
    return {
      ...{ name: server.name, tools: tools.length, confirmed, kept },
      toolBytes: JSON.stringify(tools).length,
      ...(await askOften(server, client)),
    };
  } finally {
    await client.close();
  }
}

async function writeAtOnce(server: MemoryServer, peers: string, directory: string) {
  // The first process creates the file.
  await (await connect(server, peers, directory)).close();
  // Some end as they start, because another process holds the database.
  const start = () => connect(server, peers, directory).catch(() => undefined);
  const clients = await Promise.all(Array.from({ length: PROCESSES }, start));
  let confirmed = 0;
  await Promise.all(
    clients.map(async (client, me) => {
      if (client === undefined) return;
      for (let at = 0; at < WRITES; at++) {
        await server.write(client, factOf(me * WRITES + at)).then(
          () => confirmed++,
          () => undefined,
        );
      }
    }),
  );
  await Promise.all(clients.map((client) => client?.close()));
  const reader = await connect(server, peers, directory);
  try {
    // A file that concurrent writers left in pieces can't be read.
    return { confirmed, kept: await server.count(reader, directory).catch(() => 0) };
  } finally {
    await reader.close();
  }
}

async function askOften({ ask }: MemoryServer, client: Client) {
  if (ask === undefined) return { askMs: undefined, answerBytes: undefined };
  const times: number[] = [];
  const sizes: number[] = [];
  for (let number = 0; number < QUESTIONS; number++) {
    const start = performance.now();
    // The words of no fact in this order: a person asks, and does not quote.
    const answer = await ask(client, `Where did guest ${number} find the key?`);
    times.push(performance.now() - start);
    sizes.push(Buffer.byteLength(answer));
  }
  return { askMs: middle(times), answerBytes: middle(sizes) };
}

function factOf(number: number): Fact {
  const places = ['under the fern', 'behind the clock', 'in the blue jug', 'on the top shelf'];
  return {
    name: `fact-${number}`,
    text: `Guest ${number} found the key ${places[number % places.length]}.`,
  };
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function connect(server: MemoryServer, peers: string, directory: string): Promise<Client> {
  const { command, env = {} } = server.start(peers, directory);
  const [program = '', ...args] = command;
  const transport = new StdioClientTransport({
    ...{ command: program, args, cwd: directory, stderr: 'ignore' },
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const client = new Client({ name: 'comparison', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(transport, { timeout: START_MS });
  return client;
}
