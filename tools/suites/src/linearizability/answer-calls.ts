import { createInterface } from 'node:readline';
import type { Client } from '@keepsake/conformance';

/** A call that the parent process asks for, in one line of JSON. */
export interface AskedCall {
  readonly number: number;
  /** The session or namespace. */
  readonly place: string;
  readonly call: unknown;
}

/** Performs the calls that the parent process asks for until it closes standard input. Prints the outcome of each. */
export async function answerCalls<Call>(open: (place: string) => Client<Call>): Promise<void> {
  const clients = new Map<string, Client<Call>>();
  console.log('ready');
  for await (const line of createInterface(process.stdin)) {
    const { number, place, call } = JSON.parse(line) as AskedCall;
    const client = clients.get(place) ?? open(place);
    clients.set(place, client);
    const outcome = await client.perform(call as Call);
    console.log(JSON.stringify({ number, outcome }));
  }
}
