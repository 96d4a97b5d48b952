import type { RunnableConfig } from '@langchain/core/runnables';
import { type BaseCheckpointSaver, emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';

let steps = 0;

/** A thread of an agent, which adds a message of 200 characters with each step. The state has the newest 20. */
export class Thread {
  readonly #saver: BaseCheckpointSaver;
  #config: RunnableConfig;
  #length = 0;

  constructor(saver: BaseCheckpointSaver, name: string) {
    this.#saver = saver;
    this.#config = { configurable: { thread_id: name, checkpoint_ns: '' } };
  }

  /** Puts the next checkpoint, and the write of the task that follows it. */
  async put(): Promise<void> {
    const step = ++this.#length;
    const checkpoint = {
      ...emptyCheckpoint(),
      // Increasing over all threads and steps.
      id: uuid6(++steps % 8_192),
      channel_values: { user: 'alice', instructions: INSTRUCTIONS, messages: messagesAt(step), step },
      channel_versions: { user: 1, instructions: 1, messages: step, step },
    };
    const changed = step === 1 ? checkpoint.channel_versions : { messages: step, step };
    this.#config = await this.#saver.put(this.#config, checkpoint, { source: 'loop', step, parents: {} }, changed);
    await this.#saver.putWrites(this.#config, [['messages', messagesAt(step + 1).at(-1)]], `task ${step}`);
  }

  async fill(length: number): Promise<void> {
    while (this.#length < length) await this.put();
  }

  /** Reads the latest checkpoint by the name of the thread alone, as a graph does when it is invoked. */
  async getLatest(): Promise<void> {
    const { thread_id, checkpoint_ns } = this.#config.configurable ?? {};
    const tuple = await this.#saver.getTuple({ configurable: { thread_id, checkpoint_ns } });
    const { step, messages, instructions } = tuple?.checkpoint.channel_values ?? {};
    const isWhole = step === this.#length && instructions === INSTRUCTIONS && Array.isArray(messages);
    const isLast = isWhole && messages.at(-1) === messagesAt(this.#length).at(-1) && tuple?.pendingWrites?.length === 1;
    if (!isLast) throw new Error(`The thread does not end with checkpoint ${this.#length}.`);
  }
}

const INSTRUCTIONS = 'Answer briefly, and name your sources. '.repeat(50);

function messagesAt(step: number): string[] {
  const first = Math.max(1, step - 19);
  return Array.from({ length: step - first + 1 }, (_, index) => `message ${first + index} `.repeat(20).slice(0, 200));
}
