import type { MemoryTool } from '@keepsake/core';
import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { type RunMemory as AnyRunMemory, type RunSegment, warnRunNotKept } from '@keepsake/internal';
import {
  AfterInvocationEvent,
  AfterModelCallEvent,
  AgentResultEvent,
  BeforeInvocationEvent,
  BeforeModelCallEvent,
  InvokeModelStage,
  type LocalAgent,
  type Message,
  MessageAddedEvent,
  type Plugin,
} from '@strands-agents/sdk';
import { withText } from './system-prompt.ts';
import { toStrandsTool } from './tools.ts';

/** The part of `WorkspaceMemory` (`@keepsake/workspace`) that this package uses. */
export type RunMemory = AnyRunMemory<MemoryTool>;

export interface WorkspaceOptions {
  /**
   * The id of the conversation.
   *
   * @default the agent's `sessionId`
   */
  readonly conversationId?: string | undefined;
  /**
   * The name of the plugin; must be unique if an agent has several memories.
   *
   * @default 'keepsake-workspace'
   */
  readonly name?: string | undefined;
  /**
   * Called if a run could not be saved; its result is returned anyway.
   *
   * @default a warning on the console
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const OPTIONS: FieldNames<WorkspaceOptions> = { conversationId: true, name: true, onError: true };

/**
 * A plugin that gives Strands agents a workspace memory: it adds the summary of earlier runs to the system prompt, registers
 * the memory's tools, and saves each invocation, including failed and interrupted ones. Close the memory at the end, which
 * distils the saved runs.
 */
export function workspace(memory: RunMemory, options: WorkspaceOptions = {}): Plugin {
  const checkedOptions = expectKnownFields(options, OPTIONS);
  const { conversationId, name = 'keepsake-workspace', onError = warnRunNotKept } = checkedOptions;
  return {
    name,
    getTools: () => memory.tools().map(toStrandsTool),
    initAgent(agent) {
      const run = memory.run({ conversationId, sessionId: agent.sessionId });
      instruct(agent, async () => (await memory.read({ rolloutId: run.rolloutId })).instructions);
      keepInvocations(
        agent,
        (segment) => run.append(segment).catch(onError),
        (onClose) => run.begin?.(onClose),
      );
    },
  };
}

/** Reads the summary at the start of an invocation and uses it for the whole invocation. */
function instruct(agent: LocalAgent, read: () => Promise<string>): void {
  let instructions = '';
  agent.addHook(BeforeInvocationEvent, async () => {
    instructions = await read();
  });
  agent.addMiddleware(InvokeModelStage.Input, (context) =>
    instructions === '' ? context : { ...context, systemPrompt: withText(context.systemPrompt, instructions) },
  );
}

function keepInvocations(
  agent: LocalAgent,
  keep: (segment: RunSegment) => Promise<void>,
  begin: (onClose: () => Promise<void>) => (() => void) | undefined,
): void {
  const added: Message[] = [];
  let failure: Error | undefined;
  let end: (() => void) | undefined;
  // The same object for all rounds of an agent that resumes automatically. They are one invocation, with one result.
  let invocation: object | undefined;

  const take = (terminal: RunSegment['terminal'], more: Partial<RunSegment> = {}) => {
    end?.();
    invocation = undefined;
    const items = added.splice(0).map((message) => message.toJSON());
    const answer = items.findIndex(({ role }) => role === 'assistant');
    const asked = answer === -1 ? items.length : answer;
    return keep({ input: items.slice(0, asked), generatedItems: items.slice(asked), terminal, ...more });
  };

  agent.addHook(BeforeInvocationEvent, async ({ invocationState }) => {
    if (invocation === invocationState) return;
    const takeAbandoned = async () => {
      if (added.length > 0) await take({ state: 'cancelled', hasFinalOutput: false });
    };
    // An invocation that was abandoned, or failed outside the model, is detected when the next one begins, or at the end.
    await takeAbandoned();
    end?.();
    end = begin(takeAbandoned);
    invocation = invocationState;
    failure = undefined;
  });
  agent.addHook(MessageAddedEvent, ({ message }) => void added.push(message));
  agent.addHook(BeforeModelCallEvent, () => {
    failure = undefined;
  });
  agent.addHook(AfterModelCallEvent, ({ error }) => {
    failure = error;
  });
  agent.addHook(AfterInvocationEvent, async () => {
    if (failure === undefined) return;
    const { name, message } = failure;
    await take({ state: 'failed', exceptionType: name, exceptionMessage: message, hasFinalOutput: false });
  });
  agent.addHook(AgentResultEvent, async ({ result }) => {
    const { stopReason, interrupts } = result;
    const state = STATES[stopReason] ?? 'completed';
    const hasFinalOutput = state === 'completed';
    await take({ state, hasFinalOutput }, interrupts === undefined ? {} : { interruptions: interrupts });
  });
}

const STATES: Readonly<Record<string, RunSegment['terminal']['state']>> = {
  cancelled: 'cancelled',
  interrupt: 'interrupted',
  checkpoint: 'interrupted',
  limitTurns: 'max_turns_exceeded',
  guardrailIntervened: 'guardrail_tripped',
  contentFiltered: 'guardrail_tripped',
};
