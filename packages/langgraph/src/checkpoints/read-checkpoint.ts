import { expect } from '@keepsake/core/adapter';
import { type ChannelVersions, type PendingWrite, WRITES_IDX_MAP } from '@langchain/langgraph-checkpoint';
import { readFields, readList } from '../arguments/read-argument.ts';
import { checkText } from './config.ts';

type Version = ChannelVersions[string];

/** A checked copy of a checkpoint. The values of its channels are those of the caller. */
export interface GivenCheckpoint {
  readonly id: string;
  /** All fields but `channel_values`. */
  readonly rest: Readonly<Record<string, unknown>>;
  readonly values: readonly (readonly [channel: string, value: unknown])[];
  readonly versions: ReadonlyMap<string, Version>;
}

/** @throws MemoryError `INVALID_ARGUMENT` for what could not be read again as a checkpoint. */
export function readCheckpoint(checkpoint: unknown): GivenCheckpoint {
  const { channel_values, ...rest } = Object.fromEntries(readFields(checkpoint, 'checkpoint'));
  const { id, channel_versions } = rest;
  checkText(id, 'checkpoint.id', 128);
  const versions = readVersions(channel_versions, 'checkpoint.channel_versions');
  return {
    id,
    rest: { ...rest, channel_versions: Object.fromEntries(versions) },
    values: readFields(channel_values, 'checkpoint.channel_values'),
    versions,
  };
}

/** The versions of channels, by channel. */
export function readVersions(versions: unknown, what: string): ReadonlyMap<string, Version> {
  const read = readFields(versions, what).map(([channel, version]): [string, Version] => {
    const isVersion = typeof version === 'string' || typeof version === 'number';
    expect(isVersion, `Each field of \`${what}\` must be the version of a channel, which is a string or a number.`);
    return [channel, version];
  });
  return new Map(read);
}

/** A write of a task, and its index among them. */
export interface GivenWrite {
  readonly channel: string;
  readonly value: PendingWrite[1];
  readonly idx: number;
}

/** The index of the writes to a special channel, of which a task has only one. */
function indexOf(channel: string): number | undefined {
  // Not by the name alone, because `constructor` is the name of a channel too.
  return Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined;
}

/** Copies the writes of a task. @throws MemoryError `INVALID_ARGUMENT` unless each is a channel and a value. */
export function readWrites(writes: unknown): GivenWrite[] {
  return readList(writes, 'writes', (write, at) => {
    expect(Array.isArray(write), `\`${at}\` must be an array of a channel and a value.`);
    const [channel, value] = [write[0] as unknown, write[1] as PendingWrite[1]];
    expect(typeof channel === 'string', `\`${at}[0]\` must be the name of a channel.`);
    return { channel, value };
  }).map((write, index) => ({ ...write, idx: indexOf(write.channel) ?? index }));
}
