import type { FieldNames } from '@keepsake/core/adapter';
import type { RunConfig } from '@openai/agents';

/** The fields of `RunConfig` of the OpenAI Agents SDK 0.20, which the options of runners extend. */
export const RUN_CONFIG: FieldNames<RunConfig> = {
  model: true,
  modelProvider: true,
  modelSettings: true,
  handoffInputFilter: true,
  inputGuardrails: true,
  outputGuardrails: true,
  tracingDisabled: true,
  traceIncludeSensitiveData: true,
  workflowName: true,
  traceId: true,
  groupId: true,
  traceMetadata: true,
  tracing: true,
  sandbox: true,
  toolExecution: true,
  toolNotFoundBehavior: true,
  toolNameCollisionPolicy: true,
  sessionInputCallback: true,
  callModelInputFilter: true,
  toolErrorFormatter: true,
  outputGuardrailBlockedMessage: true,
  reasoningItemIdPolicy: true,
};
