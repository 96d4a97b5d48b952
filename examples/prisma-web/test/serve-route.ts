/** Serves the route handlers without Next.js, on a free port, which it prints. Ends when its standard input ends. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { POST as chat } from '../app/api/chat/route.ts';
import { GET as recover } from '../app/api/recover/route.ts';

const app = new Hono()
  .post('/api/chat', (context) => chat(context.req.raw))
  .get('/api/recover', (context) => recover(context.req.raw));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
process.stdin.resume().on('end', () => process.exit());
