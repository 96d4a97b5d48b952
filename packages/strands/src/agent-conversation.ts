import { recentItems } from '@keepsake/core';
import {
  type ConversationOf,
  type EndOfRun,
  instructionsOf,
  isObject,
  type OpenConversationRun,
  type RunStatus,
  type StoredRun,
  storedError,
} from '@keepsake/internal';
import { type AgentResult, type LocalAgent, Message, type MessageData, type Snapshot } from '@strands-agents/sdk';

type Handle = ConversationOf<MessageData>;
type Run = StoredRun<MessageData>;
type End = Omit<EndOfRun<MessageData>, 'items'>;

/** What an interrupted run waits for. */
export interface PendingInterrupt {
  readonly id: string;
  readonly name: string;
  readonly reason?: unknown;
}

/** The checkpoint of a run that waits for responses. */
interface Checkpoint {
  readonly kind: 'strands';
  readonly snapshot: Snapshot;
  readonly interrupts: readonly PendingInterrupt[];
}

/** The invocations of one agent, as runs of a conversation. */
export class AgentConversation {
  /** The summary, the profile and the metadata, for the system prompt. */
  instructions = '';
  readonly #agent: LocalAgent;
  readonly #handle: Handle;
  /** The run that the next invocation continues, and whose state the agent has. */
  #next: Run | undefined;
  /** The run that this invocation continues. */
  #continued: Run | undefined;
  #open: OpenConversationRun<MessageData> | undefined;
  #added: Message[] = [];
  #saved = 0;
  #failure: Error | undefined;
  #invocation: object | undefined;

  constructor(agent: LocalAgent, handle: Handle) {
    this.#agent = agent;
    this.#handle = handle;
  }

  /** Gives the agent the state of a run, for its next invocation. */
  async restore(runId: string | undefined): Promise<Run | undefined> {
    const run = await findResumable(this.#handle, runId);
    if (run === undefined) return undefined;
    const checkpoint = checkpointOf(run);
    if (checkpoint !== undefined) this.#agent.loadSnapshot(checkpoint.snapshot);
    else {
      const { messageHistory } = await this.#handle.prepare();
      this.#setMessages([...messageHistory, ...(await unfinished(run))]);
    }
    this.#next = run;
    return run;
  }

  /** @param invocation - The same object for all rounds of an agent that resumes automatically. */
  async begin(invocation: object): Promise<void> {
    if (this.#invocation === invocation) return;
    await this.endAbandoned();
    const { messageHistory, ...injections } = await this.#handle.prepare();
    this.instructions = instructionsOf(injections);
    const next = this.#next;
    if (next === undefined) this.#setMessages(messageHistory);
    // Before its tools run, so that only one process runs them.
    else this.#open = await this.#claim(next);
    this.#invocation = invocation;
    this.#continued = next;
    this.#next = undefined;
  }

  add(message: Message): void {
    if (this.#invocation !== undefined) this.#added.push(message);
  }

  /** Saves the run so far: complete rounds of tool calls are not repeated if this process dies. */
  async beforeModelCall(): Promise<void> {
    this.#failure = undefined;
    if (this.#open === undefined) this.#open = await this.#claim({ items: this.#items });
    else if (this.#added.length > this.#saved) await this.#open.save({ status: 'running', items: this.#items });
    this.#saved = this.#added.length;
  }

  afterModelCall(error: Error | undefined): void {
    this.#failure = error;
  }

  /** Ends an invocation that failed in the model. */
  async endFailed(): Promise<void> {
    if (this.#failure !== undefined) await this.#end({ status: 'error', error: storedError(this.#failure) });
  }

  async endWith(result: AgentResult): Promise<void> {
    const status = STATUSES[result.stopReason] ?? 'completed';
    const { inputTokens, outputTokens } = result.metrics?.accumulatedUsage ?? {};
    const usage = inputTokens === undefined || outputTokens === undefined ? undefined : { inputTokens, outputTokens };
    if (status !== 'paused') return this.#end({ status, usage, ...reasonOf(status, result) });
    const { runId } = this.#open ?? {};
    await this.#end({ status, usage, ...this.#waiting(result) });
    if (runId !== undefined) this.#next = await this.#handle.loadResumableRun(runId);
  }

  /** Ends an invocation that has no result: it was abandoned, or failed outside the model. */
  async endAbandoned(): Promise<void> {
    if (this.#invocation === undefined) return;
    const end = this.#abandoned;
    const runId = end.status === 'cancelled' ? undefined : this.#open?.runId;
    await this.#end(end);
    if (runId !== undefined) this.#next = await this.#handle.loadResumableRun(runId);
  }

  /** A run that was continued without the responses that it waits for still waits for them. */
  get #abandoned(): End {
    const isUntouched = this.#continued !== undefined && this.#added.length === 0;
    return isUntouched ? (this.#continued as Run) : { status: 'cancelled' };
  }

  /** Saves what there is when the memory closes. An invocation that still goes on is saved again at its end. */
  async #keep(): Promise<void> {
    await this.#open?.save(toRun(this.#abandoned, this.#items));
  }

  async #claim(run: Run | { readonly items: readonly MessageData[] }): Promise<OpenConversationRun<MessageData>> {
    return this.#handle.begin(run, { onClose: () => this.#keep() });
  }

  async #end(end: End): Promise<void> {
    const items = this.#items;
    const open = this.#open ?? (items.length > 0 ? await this.#claim({ items }) : undefined);
    this.#invocation = undefined;
    this.#open = undefined;
    this.#continued = undefined;
    this.#added = [];
    this.#saved = 0;
    this.#failure = undefined;
    await open?.save(toRun(end, items));
  }

  get #items(): MessageData[] {
    const present = new Map(this.#agent.messages.map((message) => [message.trackingId, message]));
    // A guardrail may have replaced what the user said.
    const added = this.#added.map((message) => (present.get(message.trackingId) ?? message).toJSON());
    return [...(this.#continued?.items ?? []), ...added];
  }

  #waiting({ interrupts = [] }: AgentResult): Pick<End, 'checkpoint' | 'pauseReason'> {
    const snapshot = this.#agent.takeSnapshot({ include: ['messages', 'state', 'modelState', 'interrupts'] });
    const pending = interrupts.map(({ id, name, reason }) => ({ id, name, ...(reason !== undefined && { reason }) }));
    const checkpoint: Checkpoint = { kind: 'strands', snapshot, interrupts: pending };
    const names = pending.map(({ name }) => name).join(', ');
    return { checkpoint, pauseReason: names === '' ? 'Stopped at a checkpoint.' : `Waits for a response to ${names}.` };
  }

  #setMessages(messages: readonly MessageData[]): void {
    this.#agent.messages.splice(0, Infinity, ...messages.map((message) => Message.fromJSON(message)));
  }
}

/** Without the other fields of a stored run. */
function toRun({ status, output, checkpoint, pauseReason, error, usage }: End, items: readonly MessageData[]) {
  return { status, items, output, checkpoint, pauseReason, error, usage };
}

/** What a run waits for; empty for other runs. */
export function interruptsOf(run: Run): readonly PendingInterrupt[] {
  return checkpointOf(run)?.interrupts ?? [];
}

function checkpointOf({ checkpoint }: Run): Checkpoint | undefined {
  return isObject(checkpoint) && checkpoint.kind === 'strands' ? (checkpoint as unknown as Checkpoint) : undefined;
}

async function findResumable(handle: Handle, runId: string | undefined): Promise<Run | undefined> {
  if (runId !== undefined) return handle.loadResumableRun(runId);
  const [paused] = (await handle.listRuns({ status: 'paused', limit: 1 })).items;
  const [newest] = paused === undefined ? (await handle.listRuns({ limit: 1 })).items : [paused];
  return newest && handle.loadResumableRun(newest.runId);
}

/** The messages of a run from which a model can go on: complete, and without "Cancelled by user" at the end. */
async function unfinished({ items }: Run): Promise<MessageData[]> {
  const answered = await recentItems({ getItems: async () => [...items] }, {});
  const end = answered.findLastIndex(({ role }) => role === 'user') + 1;
  return answered.slice(0, end);
}

function reasonOf(status: RunStatus, { stopReason }: AgentResult): Pick<End, 'error'> {
  return status === 'error' ? { error: { name: stopReason, message: `The agent stopped: ${stopReason}.` } } : {};
}

/** All others are completed. */
const STATUSES: Readonly<Record<string, RunStatus>> = {
  cancelled: 'cancelled',
  interrupt: 'paused',
  checkpoint: 'paused',
  limitTurns: 'error',
  limitOutputTokens: 'error',
  limitTotalTokens: 'error',
  guardrailIntervened: 'error',
  contentFiltered: 'error',
};
