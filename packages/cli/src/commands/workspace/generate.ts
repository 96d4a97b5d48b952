import type { MemoryModel } from '@keepsake/core';
import type { GenerateProgress, GenerateReport } from '@keepsake/workspace';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { Failure } from '../../failure.ts';
import { listenForInterrupt } from '../../interrupt.ts';
import { type GenerateSettings, openWorkspace, type WorkspaceSettings } from '../../open/open-workspace.ts';
import { openAiModel } from '../../open/openai-model.ts';
import { count, countOf, type Output } from '../../output/output.ts';
import { printable } from '../../output/printable.ts';

export async function run(
  context: Context,
  _: readonly string[],
  settings: WorkspaceSettings & GenerateSettings,
): Promise<ExitCode> {
  const { output } = context;
  const { maxTokens, maxTurns, maxConsolidationTokens, maxPromptTokens, modelTimeoutMs } = settings;
  const { maxRawMemoriesForConsolidation, retainRemovedDays, extraPrompt } = settings;
  const memory = await openWorkspace(context, settings, await openModel(context), {
    maxTokens,
    maxTurns,
    maxConsolidationTokens,
    maxPromptTokens,
    modelTimeoutMs,
    maxRawMemoriesForConsolidation,
    retainRemovedDays,
    extraPrompt,
  });
  const { signal, stopListening } = listenForInterrupt(context.surroundings);
  try {
    const report = await memory.close({
      signal,
      onProgress: (progress) => output.note(describeProgress(output, progress)),
    });
    await show(output, report);
    return report.failed.length === 0 && report.consolidationError === undefined ? EXIT.fine : EXIT.failed;
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = 'Interrupted. Finished conversations are stored. Run the same command again to continue.';
    throw new Failure('INTERRUPTED', message, EXIT.interrupted, { cause: error });
  } finally {
    stopListening();
  }
}

function describeProgress(output: Output, { phase, done, total, usage }: GenerateProgress): string {
  const spent = countOf(output, usage.inputTokens + usage.outputTokens, 'token');
  const what =
    phase === 'extraction'
      ? `Extracting conversation ${count(output, done + 1)} of ${count(output, total)}`
      : 'Consolidating';
  return `${what} (${spent} so far)`;
}

async function show(output: Output, { failed, consolidationError, ...done }: GenerateReport): Promise<void> {
  const left = failed.map(({ rolloutId, error: { code, message } }) => ({ rolloutId, error: { code, message } }));
  if (output.json) {
    const error = consolidationError && { code: consolidationError.code, message: consolidationError.message };
    await output.value({ ...done, failed: left, consolidationError: error ?? null });
    return;
  }
  for (const { rolloutId, error } of left) output.note(`${printable(rolloutId)} stays queued: ${error.message}`);
  if (consolidationError !== undefined) output.note(`The memory is unchanged: ${consolidationError.message}`);
  const { extracted, empty, consolidated, usage } = done;
  const parts = [
    `${count(output, extracted.length)} extracted`,
    `${count(output, empty.length)} with nothing worth keeping`,
    `${count(output, left.length)} still queued`,
    consolidated ? 'memory updated' : 'memory unchanged',
  ];
  const { calls, inputTokens, outputTokens } = usage;
  const cost = [
    countOf(output, calls, 'model call'),
    countOf(output, inputTokens, 'input token'),
    countOf(output, outputTokens, 'output token'),
  ].join(', ');
  await output.line(`${parts.join(', ')}.\n${cost}.`);
}

/** The model of the configuration, or else the one that the environment names. */
async function openModel(context: Context): Promise<MemoryModel> {
  const configured = context.backend.kind === 'configuration' ? await context.config.model() : undefined;
  return configured ?? openAiModel(context.surroundings.env);
}
