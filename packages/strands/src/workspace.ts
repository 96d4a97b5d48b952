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
  type SystemPrompt,
  TextBlock,
} from '@strands-agents/sdk';
import type { RunMemory, RunSegment } from './run-memory.ts';
import { toStrandsTool } from './tools.ts';

export type { RunMemory } from './run-memory.ts';

export interface WorkspaceOptions {
  /** Names the conversation. By default the agent's `sessionId`. */
  readonly conversationId?: string | undefined;
  /** Tells several memories of one agent apart. Default `keepsake-workspace`. */
  readonly name?: string | undefined;
  /** Is told where a run could not be kept; its result comes all the same. By default a warning on the console. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * A workspace memory for Strands agents, as a plugin: the summary of earlier runs comes into the system prompt, the
 * memory's tools are at hand, and each invocation is kept, also one that fails or waits. Close the memory at the end: that
 * distils what was kept.
 */
export function workspace(
  memory: RunMemory,
  { conversationId, name = 'keepsake-workspace', onError = warn }: WorkspaceOptions = {},
): Plugin {
  return {
    name,
    getTools: () => memory.tools().map(toStrandsTool),
    initAgent(agent) {
      const run = memory.run({ conversationId, sessionId: agent.sessionId });
      instruct(agent, async () => (await memory.read({ rolloutId: run.rolloutId })).instructions);
      keepInvocations(agent, (segment) => run.append(segment).catch(onError));
    },
  };
}

/** What is known at the beginning of an invocation holds for all of it. */
function instruct(agent: LocalAgent, read: () => Promise<string>): void {
  let instructions = '';
  agent.addHook(BeforeInvocationEvent, async () => {
    instructions = await read();
  });
  agent.addMiddleware(InvokeModelStage.Input, (context) =>
    instructions === '' ? context : { ...context, systemPrompt: withText(context.systemPrompt, instructions) },
  );
}

function withText(prompt: SystemPrompt | undefined, text: string): SystemPrompt {
  if (prompt === undefined || prompt === '') return text;
  return typeof prompt === 'string' ? `${prompt}\n\n${text}` : [...prompt, new TextBlock(text)];
}

function keepInvocations(agent: LocalAgent, keep: (segment: RunSegment) => Promise<void>): void {
  const added: Message[] = [];
  let failure: Error | undefined;

  const take = (terminal: RunSegment['terminal'], more: Partial<RunSegment> = {}) => {
    const items = added.splice(0).map((message) => message.toJSON());
    const answer = items.findIndex(({ role }) => role === 'assistant');
    const asked = answer === -1 ? items.length : answer;
    return keep({ input: items.slice(0, asked), generatedItems: items.slice(asked), terminal, ...more });
  };

  agent.addHook(BeforeInvocationEvent, async () => {
    // One that was abandoned, or failed elsewhere than in the model, shows when the next begins.
    if (added.length > 0) await take({ state: 'cancelled', hasFinalOutput: false });
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

function warn(error: unknown): void {
  console.warn('keepsake: a run could not be kept.', error);
}
