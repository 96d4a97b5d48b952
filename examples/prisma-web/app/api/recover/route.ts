import { memory } from '../../../lib/memory.ts';

/** Learns what functions left that ended too early. For a job, once an hour, that sends a secret. */
export async function GET(request: Request): Promise<Response> {
  const secret = process.env.CRON_SECRET;
  const isJob = secret !== undefined && request.headers.get('authorization') === `Bearer ${secret}`;
  if (!isJob) return new Response(null, { status: 401 });
  await memory.ready();
  return Response.json(await memory.recover());
}
