import { allPages } from '@keepsake/internal';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

/** Prints the oldest records first, so that an import creates them in the same order. */
export async function run(context: Context): Promise<ExitCode> {
  const store = await context.openStore();
  for await (const page of allPages((options) => store.list({ ...options, order: 'oldest', history: true }))) {
    for (const record of page) await context.output.value(record);
  }
  return EXIT.fine;
}
