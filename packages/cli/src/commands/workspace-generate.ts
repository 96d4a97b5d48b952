import type { GenerateProgress, GenerateReport } from '@keepsake/workspace';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { openWorkspace, type WorkspaceSettings } from '../open-workspace.ts';
import { openAiModel } from '../openai-model.ts';
import { count, type Output } from '../output.ts';
import { printable } from '../printable.ts';

export async function run(
  { output }: Context,
  _: readonly string[],
  settings: WorkspaceSettings & { readonly maxTokens?: number },
): Promise<ExitCode> {
  const memory = openWorkspace(settings, openAiModel(process.env), settings.maxTokens);
  const { signal, stopListening } = listenForInterrupt();
  try {
    const report = await memory.close({ signal, onProgress: (progress) => output.note(describeProgress(progress)) });
    await show(output, report);
    return report.failed.length === 0 && report.consolidationError === undefined ? EXIT.fine : EXIT.failed;
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = 'Interrupted. What was finished stays; the same command does the rest.';
    throw new Failure('INTERRUPTED', message, EXIT.interrupted, { cause: error });
  } finally {
    stopListening();
  }
}

function describeProgress({ phase, done, total, usage }: GenerateProgress): string {
  const spent = (usage.inputTokens + usage.outputTokens).toLocaleString('en');
  const what = phase === 'extraction' ? `Extracting conversation ${done + 1} of ${total}` : 'Consolidating';
  return `${what} (${spent} tokens so far)`;
}

async function show(output: Output, { failed, consolidationError, ...done }: GenerateReport): Promise<void> {
  const left = failed.map(({ rolloutId, error: { code, message } }) => ({ rolloutId, error: { code, message } }));
  if (output.json) {
    const error = consolidationError && { code: consolidationError.code, message: consolidationError.message };
    await output.value({ ...done, failed: left, consolidationError: error ?? null });
    return;
  }
  for (const { rolloutId, error } of left) output.note(`${printable(rolloutId)} stays queued: ${error.message}`);
  if (consolidationError !== undefined) output.note(`The memory is as it was: ${consolidationError.message}`);
  const { extracted, empty, consolidated, usage } = done;
  const parts = [
    `${count(output, extracted.length)} extracted`,
    `${count(output, empty.length)} with nothing worth keeping`,
    `${count(output, left.length)} left`,
    consolidated ? 'the memory is written anew' : 'the memory is as it was',
  ];
  const { calls, inputTokens, outputTokens } = usage;
  const cost = `${count(output, calls)} calls, ${count(output, inputTokens)} tokens in, ${count(output, outputTokens)} out`;
  await output.line(`${parts.join(', ')}.\n${cost}.`);
}
