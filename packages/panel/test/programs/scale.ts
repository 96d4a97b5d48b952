// Measures what the page asks for first and most often, over many records of one namespace:
//
//   node --conditions=@keepsake/source packages/panel/test/programs/scale.ts [backend] [records]
import { OpenedConfig } from '@keepsake/config';
import { createPanel } from '../../src/index.ts';
import { PATHS } from '../../src/protocol.ts';
import { backends } from '../support/backends.ts';
import { Client } from '../support/client.ts';
import { writeManyRecords } from '../support/many-records.ts';

const [only, count = '100000'] = process.argv.slice(2);
const RECORDS = Number(count);
const NAMESPACE = 'agent:guide:u:alice';
/** As many rows as a large screen shows. */
const SEEN = JSON.stringify([[NAMESPACE, Array.from({ length: 60 }, (_, row) => `r${RECORDS - 1 - row}`)]]);
const QUERIES = ['aisle seat', 'note 77777', 'bakery in autumn with basil and amber', 'nothing like this'];

for (const backend of backends) {
  if (only !== undefined && backend.name !== only) continue;
  await backend.start?.();
  const place = backend.makePlace();
  const config = () => new OpenedConfig({ ...place, space: { agents: { guide: {} } } }, { path: 'the measurement' });
  const writer = config();
  const store = (await writer.memory()).within(['agent', 'guide', 'u', 'alice']);
  const start = performance.now();
  await writeManyRecords(store, RECORDS);
  const writeMs = performance.now() - start;
  await writer.close();
  // As after a start of the command.
  const opened = config();
  const client = new Client(createPanel(opened));
  const query = { namespace: NAMESPACE, limit: 50 };
  const first = await timed(async () => {
    await client.get(PATHS.status);
    await Promise.all([client.get(PATHS.namespaces), client.get(PATHS.records, query)]);
  });
  const searches: Time[] = [];
  for (const search of [...QUERIES, ...QUERIES])
    searches.push(await timed(() => client.get(PATHS.records, { ...query, search })));
  const ms = {
    'first view': first,
    'first search': searches[0] as Time,
    'slowest other search': searches.slice(1).toSorted((one, other) => other.cpu - one.cpu)[0] as Time,
    'next first view': await timed(() => client.get(PATHS.records, query)),
    'all namespaces': await timed(() => client.get(PATHS.records, { descendants: true, limit: 50 })),
    filter: await timed(() => client.get(PATHS.records, { ...query, metadataField: 'kind', metadataValue: '3' })),
    ask: await timed(() => client.get(PATHS.ask, { question: QUERIES[0], namespace: NAMESPACE })),
    live: await timed(() => client.get(PATHS.live, { namespace: NAMESPACE, seen: SEEN })),
    users: await timed(() => client.get(PATHS.users)),
    health: await timed(() => client.get(PATHS.health)),
  };
  console.log(`${backend.name}: ${RECORDS} records written in ${Math.round(writeMs / 1_000)} s`);
  for (const [name, { wall, cpu }] of Object.entries(ms)) {
    console.log(`  ${name}: ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of this process`);
  }
  await opened.close();
  await backend.stop?.();
}

/** Milliseconds by the clock, and of this process alone, which other processes of the machine don't change. */
interface Time {
  readonly wall: number;
  readonly cpu: number;
}

async function timed(work: () => Promise<unknown>): Promise<Time> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - start, cpu: (user + system) / 1_000 };
}
