import { memory } from '../../../lib/memory.ts';

/** Learns what functions left that ended too early. For a job, once an hour: let nobody else call it. */
export async function POST(): Promise<Response> {
  await memory.ready();
  return Response.json(await memory.recover());
}
