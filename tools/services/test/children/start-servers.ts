// Starts servers, prints their ports, and ends as its argument says: without stopping them, or when it is killed.
import { startPostgres, startRedis } from '@keepsake/services';

const servers = await Promise.all([startRedis({ own: true }), startPostgres({ own: true })]);
console.log(JSON.stringify(servers.map(({ port }) => port)));
if (process.argv[2] === 'wait') setInterval(() => {}, 60_000);
