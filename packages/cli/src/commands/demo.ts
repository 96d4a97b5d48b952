import { chat, modelAddress } from '@keepsake/example-quickstart/chat';
import type { Settings } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { usageFailure } from '../failure.ts';

interface Options {
  readonly showMemory?: boolean;
  readonly model?: string;
  readonly modelName?: string;
  readonly embedder?: string;
  readonly embeddingModel?: string;
}

/** The chat uses the streams, environment and exit code of `process`, so this command does too. */
export async function run({
  showMemory,
  model,
  modelName: name,
  embedder,
  embeddingModel,
  ...settings
}: Settings & Options): Promise<ExitCode> {
  const { directory = '.keepsake', config, sqlite, namespace, json } = settings;
  if (config !== undefined || sqlite !== undefined || namespace !== undefined || json === true) {
    throw usageFailure('demo is a chat in a terminal, and keeps what you say in files. Pass only --directory.');
  }
  const { OPENAI_API_KEY: apiKey } = process.env;
  await chat({
    directory,
    showMemory,
    model: modelAddress({ server: model, name }, process.env),
    embedder: embedder === undefined ? undefined : { server: embedder, model: embeddingModel, apiKey },
  }).catch((error: Error) => {
    throw usageFailure(error.message, error);
  });
  return process.exitCode === undefined ? EXIT.fine : EXIT.failed;
}
