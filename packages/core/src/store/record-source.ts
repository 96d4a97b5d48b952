import { expectKnownFields, type FieldNames } from '../common/check-fields.ts';
import { expect } from '../common/expect.ts';
import { checkId } from '../common/text.ts';

/**
 * Where a memory came from. Each field is optional, and filters name them `source.conversation`, `source.run`,
 * `source.speaker` and `source.kind`.
 */
export interface RecordSource {
  /** The conversation, such as a thread or a session. 1 to 512 characters, as ids. */
  readonly conversation?: string;
  /** The run of an agent or a workflow. 1 to 512 characters, as ids. */
  readonly run?: string;
  /** Who said or wrote it: a role, or a name. 1 to 512 characters, as ids. */
  readonly speaker?: 'user' | 'assistant' | 'tool' | (string & {});
  /** What it is: the words of a message, a fact that was made of some, or a summary. */
  readonly kind?: 'utterance' | 'fact' | 'summary';
}

const FIELDS: FieldNames<RecordSource> = { conversation: true, run: true, speaker: true, kind: true };
const KINDS: readonly unknown[] = ['utterance', 'fact', 'summary'] satisfies RecordSource['kind'][];

/** The names of all fields of a source. */
export const SOURCE_FIELDS = /* @__PURE__ */ Object.keys(FIELDS) as readonly (keyof RecordSource)[];

/** Checks and copies a source; `undefined` also where it has no fields: a source that says nothing is none, in every backend. */
export function copySource(source: RecordSource | undefined, what: string): RecordSource | undefined {
  if (source === undefined) return undefined;
  const copy = expectKnownFields(source, FIELDS, what);
  const fields = Object.entries(copy);
  for (const [name, value] of fields) {
    if (name === 'kind') expect(KINDS.includes(value), `${what}.kind must be utterance, fact or summary.`);
    else checkId(value, `${what}.${name}`);
  }
  return fields.length === 0 ? undefined : copy;
}
