import { MemoryError } from '@keepsake/core';
import { isObject, parseJson } from '@keepsake/internal';
import {
  type CheckpointPendingWrite,
  compareWritesSortKeys,
  type SerializerProtocol,
  writesSortKey,
} from '@langchain/langgraph-checkpoint';
import { expectIntact } from './damage.ts';
import type { StoredCheckpoint, StoredValue } from './stored-checkpoint.ts';
import { loadData, type StoredData, storeData } from './stored-data.ts';
import type { ThreadRecords } from './thread-records.ts';
import type { StoredWrite } from './write-log.ts';

/** The values of one thread: those of channels, and those of writes. */
export class ThreadValues {
  readonly #records: ThreadRecords;
  readonly #serde: SerializerProtocol;

  constructor(records: ThreadRecords, serde: SerializerProtocol) {
    this.#records = records;
    this.#serde = serde;
  }

  /** Values above `maxLength` are stored apart, before anything refers to them. `what` names the value in errors. */
  async store(value: unknown, what: string, maxLength: number): Promise<StoredWrite['value']> {
    const data = await storeData(this.#serde, value, what);
    if (data[1].length <= maxLength) return { data };
    return { large: await this.#records.texts.write(JSON.stringify(data)) };
  }

  /** Writes in the order in which a run applies them. */
  async ofWrites(writes: readonly StoredWrite[]): Promise<CheckpointPendingWrite[]> {
    const sorted = writes
      .map((write) => ({ write, key: writesSortKey(write.path, write.task, write.idx) }))
      .sort((a, b) => compareWritesSortKeys(a.key, b.key));
    return Promise.all(
      sorted.map(async ({ write: { task, channel, value } }): Promise<CheckpointPendingWrite> => {
        return [task, channel, await this.#load(value)];
      }),
    );
  }

  /** The values of all channels of a checkpoint. */
  async ofCheckpoint({ ns, values }: StoredCheckpoint): Promise<Record<string, unknown>> {
    const checkpoints = new Map<string, Promise<StoredCheckpoint | undefined>>();
    const find = (id: string) => {
      const checkpoint = checkpoints.get(id) ?? this.#records.checkpoint(ns, id);
      checkpoints.set(id, checkpoint);
      return checkpoint;
    };
    const entries = Object.entries(values).map(async ([channel, value]) => {
      return [channel, await this.#loadHeld(channel, value, find)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /** The value of one channel of a checkpoint, which has it. */
  ofChannel({ ns, values }: StoredCheckpoint, channel: string): Promise<unknown> {
    return this.#loadHeld(channel, values[channel] as StoredValue, (id) => this.#records.checkpoint(ns, id));
  }

  /** `find` returns the checkpoint that holds the value, if it is another one. */
  async #loadHeld(
    channel: string,
    value: StoredValue,
    find: (id: string) => Promise<StoredCheckpoint | undefined>,
  ): Promise<unknown> {
    expectIntact(isObject(value));
    const held = 'of' in value ? (await find(value.of))?.values[channel] : value;
    if (!isObject(held) || 'of' in held) {
      throw new MemoryError('CORRUPT', 'A checkpoint refers to a value that is missing. Delete the thread.');
    }
    return this.#load(held);
  }

  async #load(value: StoredWrite['value']): Promise<unknown> {
    expectIntact(isObject(value));
    const data = 'data' in value ? value.data : (parseJson(await this.#records.texts.read(value.large)) as StoredData);
    return loadData(this.#serde, data);
  }
}
