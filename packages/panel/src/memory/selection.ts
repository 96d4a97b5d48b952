import type { Filter } from '@keepsake/core';
import { flag, invalid, oneOf, readFields, text } from '../http/fields.ts';
import { LIMITS, type RecordSelection } from '../protocol.ts';

/** The fields of a {@link RecordSelection}. */
export const SELECTION = {
  namespace: text(16_384),
  descendants: flag,
  search: text(LIMITS.queryCharacters),
  kind: oneOf('utterance', 'fact', 'summary'),
  speaker: text(512),
  conversation: text(512),
  run: text(512),
  from: text(64),
  to: text(64),
  metadataField: text(512),
  metadataValue: text(4_096),
} as const;

/** A selection as it was read. */
export type GivenSelection = { readonly [Name in keyof typeof SELECTION]: ReturnType<(typeof SELECTION)[Name]> };

export function readSelection(fields: object): GivenSelection {
  return readFields(fields, SELECTION);
}

/** The names in a filter that are no fields of the metadata. */
const RESERVED = [
  'createdAt',
  'updatedAt',
  'expiresAt',
  'source.conversation',
  'source.run',
  'source.speaker',
  'source.kind',
];

/** The filter of a selection; `undefined` if all records pass, so that stores without filters can list. */
export function filterOf(selection: GivenSelection): Filter | undefined {
  const { kind, speaker, conversation, run, from, to, metadataField, metadataValue } = selection;
  if (metadataField === undefined && metadataValue !== undefined) throw invalid('metadataField is missing.');
  if (metadataField !== undefined && RESERVED.includes(metadataField)) {
    throw invalid(`${metadataField} is not a field of the metadata. Use its own field of the query.`);
  }
  const filter: Filter = {
    ...(kind !== undefined && { 'source.kind': kind }),
    ...(speaker !== undefined && { 'source.speaker': speaker }),
    ...(conversation !== undefined && { 'source.conversation': conversation }),
    ...(run !== undefined && { 'source.run': run }),
    ...((from !== undefined || to !== undefined) && {
      createdAt: { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }) },
    }),
    ...(metadataField !== undefined && {
      [metadataField]: metadataValue === undefined ? { exists: true } : asValue(metadataValue),
    }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

/** What a person types: `3`, `true` and `"3"` are JSON, everything else is a text. */
function asValue(valueText: string): string | number | boolean | null {
  try {
    const value: unknown = JSON.parse(valueText);
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as string;
  } catch {
    // A text.
  }
  return valueText;
}
