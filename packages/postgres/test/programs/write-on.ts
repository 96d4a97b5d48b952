// Writes until its input ends. The argument is { kind, url, connections, place, writer }.
import { writeOn } from '@keepsake/suites/faults/write-on';
import { PostgresSession, PostgresStore } from '../../src/index.ts';
import { connectTo, type ServerDriver } from '../connect-to.ts';

export interface Use {
  readonly kind: ServerDriver;
  readonly url: string;
  readonly connections: number;
  readonly place: string;
  readonly writer: string;
}

const { kind, url, connections, place, writer } = JSON.parse(process.argv[2] ?? '') as Use;
const { client, close } = connectTo(kind, url, connections);
const store = new PostgresStore({ client, name: 'memory', namespace: [place] });
await writeOn(writer, new PostgresSession({ client, sessionId: place }), store);
await close();
