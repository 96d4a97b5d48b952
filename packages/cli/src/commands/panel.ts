import { untilStopped } from '@keepsake/internal/node';
import { servePanel } from '@keepsake/panel';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { reportFailure } from '../output/report-failure.ts';
import { dim } from '../output/style.ts';

interface Options {
  readonly readOnly?: boolean;
  readonly port?: number;
}

/** Serves the panel until a signal ends it. */
export async function run(context: Context, _: readonly string[], { readOnly, port }: Options): Promise<ExitCode> {
  const { output } = context;
  const onError = (error: unknown) => void reportFailure(error, output.json, context.surroundings);
  const panel = await servePanel(context.config, { readOnly, port, onError });
  const stopped = untilStopped();
  if (output.json) await output.value({ url: panel.url });
  else await output.line(panel.url);
  output.note(dim('Open this address in your browser. It lets in whoever has it. Ctrl-C stops.', output.stderr));
  await stopped;
  await panel.close();
  return EXIT.fine;
}
