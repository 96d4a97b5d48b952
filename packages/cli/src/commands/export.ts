import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { allPages } from '../paging.ts';

/** Oldest first, so that an import makes them anew in their order. */
export async function run(context: Context): Promise<ExitCode> {
  const store = context.openStore();
  for await (const page of allPages((options) => store.list({ ...options, order: 'oldest' }))) {
    for (const record of page) await context.output.value(record);
  }
  return EXIT.fine;
}
