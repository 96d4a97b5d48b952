import { MemoryError } from '@keepsake/core';
import type { RedisClient, ScriptArgument } from './redis-client.ts';

/** How many replicas must have a change before it is acknowledged. */
export interface WaitReplicas {
  /** How many replicas must have received the change, at least 1. */
  readonly replicas: number;
  /** How long to wait for them, in milliseconds, at least 1. */
  readonly timeoutMs: number;
}

/** How often a change is sent until it and its confirmation go over one connection to the right node. */
const ATTEMPTS = 5;

/**
 * Writes something after the change, over the same connection. Since Redis 7.2, `WAIT` only counts writes of its own
 * connection, so it would confirm a change that was only recognised here, because it was made over one that broke. `DEL`
 * comes first because a server without free memory then also takes the rest.
 */
const MARK = `redis.call('DEL', KEYS[1]) redis.call('SET', KEYS[1], '', 'PX', 1000)`;

/** A client whose changes are acknowledged when replicas have them. */
export class ReplicatedClient implements RedisClient {
  /** The client that everything is sent to. */
  readonly base: RedisClient;
  readonly #wait: WaitReplicas;

  constructor(base: RedisClient, wait: WaitReplicas) {
    this.base = base;
    this.#wait = wait;
  }

  call(command: string, values: ScriptArgument[]): Promise<unknown> {
    return this.base.call(command, values);
  }

  callBuffer(command: string, values: ScriptArgument[]): Promise<unknown> {
    return this.base.callBuffer(command, values);
  }

  /**
   * Sends a script that changes something and can be sent again, with all of its arguments. `key` is one of its keys.
   *
   * @throws MemoryError `OUTCOME_UNKNOWN` if the change was made, but too few replicas confirmed it in time.
   */
  async change(
    method: 'call' | 'callBuffer',
    command: string,
    values: ScriptArgument[],
    key: string,
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const [first, change, mark, wait, last] = await this.#send(method, command, values, markKey(key));
      if (change.error !== undefined && !isRedirection(change.error)) throw change.error;
      const isOneConnection = first.error === undefined && last.error === undefined && first.reply === last.reply;
      const isConfirmed = change.error === undefined && mark.error === undefined && wait.error === undefined;
      if (isConfirmed && isOneConnection) {
        this.#expectReplicas(Number(wait.reply));
        return change.reply;
      }
      if (attempt === ATTEMPTS) throw unconfirmed('no connection lasted until they confirmed it', wait.error);
      // Follows the redirection, so that the next attempt goes to the right node of the cluster.
      if (change.error !== undefined) await this.base[method](command, values);
    }
  }

  async #send(method: 'call' | 'callBuffer', command: string, values: ScriptArgument[], mark: string) {
    const pipeline = (this.base as Required<RedisClient>).pipeline();
    pipeline.call('client', ['id']);
    pipeline[method](command, values);
    pipeline.call('eval', [MARK, 1, mark]);
    pipeline.call('wait', [this.#wait.replicas, this.#wait.timeoutMs]);
    pipeline.call('client', ['id']);
    const results = (await pipeline.exec()) ?? [];
    const outcomes = results.map(([error, reply]) => ({ error: error ?? undefined, reply }));
    return outcomes as [Outcome, Outcome, Outcome, Outcome, Outcome];
  }

  #expectReplicas(count: number): void {
    const { replicas, timeoutMs } = this.#wait;
    if (count >= replicas) return;
    throw unconfirmed(`only ${count} of ${replicas} confirmed it within ${timeoutMs} ms`);
  }
}

interface Outcome {
  readonly error: Error | undefined;
  readonly reply: unknown;
}

function unconfirmed(why: string, cause?: unknown): MemoryError {
  return new MemoryError(
    'OUTCOME_UNKNOWN',
    `Redis made the change, but it may not survive a failover: of the replicas in \`waitReplicas\`, ${why}. Read, or retry with the same id.`,
    cause === undefined ? {} : { cause },
  );
}

function isRedirection({ message }: Error): boolean {
  return /^(MOVED|ASK) /.test(message);
}

/** A key in the hash slot of another one. */
function markKey(key: string): string {
  return `${key.slice(0, key.indexOf('}') + 1)}:replicated`;
}
