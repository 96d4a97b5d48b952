/**
 * Spreads tenants over three Redis servers, adds a fourth one, and moves the tenants that it gets:
 *
 *   npm start -w examples/three-redis
 */
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { moveTenant } from './move-tenant.ts';
import { openTenant, type Server, serverOf } from './shards.ts';

const TENANTS = Array.from({ length: 60 }, (_, n) => `tenant ${n}`);

const started = await Promise.all(Array.from({ length: 4 }, () => startRedis({ own: true })));
const servers: Server[] = started.map(({ url }, n) => ({ name: `redis-${'abcd'[n]}`, client: new Redis(url) }));
const [three, four] = [servers.slice(0, 3), servers];
try {
  for (const name of TENANTS) {
    const { store, sessions } = openTenant(name, serverOf(name, three));
    await store.put({ id: 'colour', content: `The favourite colour of ${name} is a secret shade of green.` });
    await sessions.open('chat').addItems([{ role: 'user', content: `I am ${name}.` }]);
  }
  report(three);

  let moved = 0;
  for (const name of TENANTS) {
    const [before, after] = [serverOf(name, three), serverOf(name, four)];
    if (before === after) continue;
    await moveTenant(openTenant(name, before), openTenant(name, after));
    moved++;
  }
  console.log(`redis-d was added: ${moved} tenants moved, ${TENANTS.length - moved} stayed.`);
  report(four);

  let right = 0;
  for (const name of TENANTS) {
    const { store, sessions } = openTenant(name, serverOf(name, four));
    const found = await store.search('Which colour?');
    const [said] = await sessions.open('chat').getItems();
    if (found.length === 1 && found[0]?.content.includes(`${name} `) && said?.content === `I am ${name}.`) right++;
  }
  console.log(`${right} of ${TENANTS.length} tenants find what is theirs, and nothing else.`);
} finally {
  for (const { client } of servers) client.disconnect();
  await Promise.all(started.map((server) => server.stop()));
}

function report(among: readonly Server[]): void {
  const counts = among.map((server) => {
    return `${server.name}: ${TENANTS.filter((name) => serverOf(name, among) === server).length}`;
  });
  console.log(`Tenants on ${counts.join(', ')}`);
}
