import type { ChannelVersions } from '@langchain/langgraph-checkpoint';
import type { LargeText } from './large-texts.ts';
import type { StoredData } from './stored-data.ts';

/** A checkpoint as it is stored: what its channels hold is here only where it is new. */
export interface StoredCheckpoint {
  readonly ns: string;
  readonly id: string;
  readonly parent?: string;
  /** The checkpoint without `channel_values`. */
  readonly checkpoint: StoredData;
  readonly metadata: StoredData;
  readonly values: Readonly<Record<string, StoredValue>>;
}

/** The value of a channel: here, in parts of its own, or with the checkpoint that stored it. */
export type StoredValue = { readonly version: ChannelVersions[string] } & (
  | { readonly data: StoredData }
  | { readonly large: LargeText }
  | { readonly of: string }
);

/** Values up to this length are stored again with each checkpoint, because a reference would cost a read. */
const COPIED_LENGTH = 1_024;

/**
 * The value of a channel that did not change since the parent. `undefined` if the parent has no value of that version.
 */
export function carriedValue(
  parent: StoredCheckpoint | undefined,
  channel: string,
  version: ChannelVersions[string] | undefined,
): StoredValue | undefined {
  if (parent === undefined || !Object.hasOwn(parent.values, channel)) return undefined;
  const value = parent.values[channel] as StoredValue;
  if (version === undefined || value.version !== version) return undefined;
  return 'data' in value && value.data[1].length > COPIED_LENGTH ? { version, of: parent.id } : value;
}
