import { randomUUID } from 'node:crypto';
import type { Session } from '@keepsake/core';
import { Agent, type AgentInputItem, getLogger, run } from '@openai/agents';

type Logger = ReturnType<typeof getLogger>;

/** A session in memory: the five methods that every session has. */
export class CustomMemorySession implements Session<AgentInputItem> {
  readonly #sessionId: string;
  readonly #logger: Logger;
  #items: AgentInputItem[];

  constructor(options: { sessionId?: string; initialItems?: AgentInputItem[]; logger?: Logger } = {}) {
    this.#sessionId = options.sessionId ?? randomUUID();
    this.#items = structuredClone(options.initialItems ?? []);
    this.#logger = options.logger ?? getLogger('custom-session');
  }

  async getSessionId(): Promise<string> {
    return this.#sessionId;
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const items = limit === undefined ? this.#items : limit <= 0 ? [] : this.#items.slice(-limit);
    this.#logger.debug(`${this.#sessionId}: reading ${items.length} items`);
    return structuredClone(items);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    this.#logger.debug(`${this.#sessionId}: adding ${items.length} items`);
    this.#items.push(...structuredClone(items));
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    return this.#items.pop();
  }

  async clearSession(): Promise<void> {
    this.#items = [];
  }
}

const agent = new Agent({ name: 'MemoryDemo', instructions: 'Keep a running total.' });
const session = new CustomMemorySession({ sessionId: 'session-123-4567' });

const first = await run(agent, 'Add 3 to the total.', { session });
console.log(first.finalOutput);

const second = await run(agent, 'Add 4 to it.', { session });
console.log(second.finalOutput);
