import { isObject } from '@keepsake/internal';
import { textOf } from '../../message-text.ts';
import { brokenInput } from '../broken-input.ts';
import { checkRecord } from '../check-record.ts';
import type { Found } from '../found.ts';
import type { Format, UnknownObject } from './format.ts';
import { digestOf, toFound } from './utterance.ts';

interface MessageLine {
  readonly role: string;
  readonly speaker: string | undefined;
  readonly text: string;
  readonly createdAt: string | undefined;
  readonly index: number;
  readonly place: string;
}

/** The roles of instructions, which many conversations start with and share. */
const PREAMBLE: readonly string[] = ['system', 'developer'];
/** The maximum number of messages in a preamble. */
const MAX_PREAMBLE = 100;

/**
 * Messages, one per line: `{ role, content, createdAt?, speaker? }`. An input is one conversation.
 *
 * It has no id, and its file may be renamed or grow. So the conversation is identified by its start, up to and including the
 * first message of a person or a model. A message is identified by its position and content as well, so that two
 * conversations with the same start both keep all their messages.
 */
export function messages(): Format {
  let count = 0;
  let conversation: string | undefined;
  let buffered: MessageLine[] = [];

  function* begin(): Iterable<Found> {
    conversation ??= digestOf(buffered.map(({ role, text, createdAt }) => [role, text, createdAt]));
    for (const line of buffered) yield toFound(utterance(line, conversation), line.place);
    buffered = [];
  }

  return {
    matches: (value) => 'role' in value,
    *read(value, place) {
      const line = readMessage(value, count, place);
      count++;
      buffered.push(line);
      const begins = !PREAMBLE.includes(line.role) || buffered.length === MAX_PREAMBLE;
      if (conversation !== undefined || begins) yield* begin();
    },
    skip() {
      if (count === 0) return true;
      count++;
      // The conversation is identified by its start.
      return conversation !== undefined;
    },
    end: begin,
  };
}

function readMessage({ role, content, speaker, createdAt }: UnknownObject, index: number, place: string): MessageLine {
  const isText = (value: unknown) => typeof value === 'string';
  const isOptionalText = (value: unknown) => value === undefined || value === null || isText(value);
  const isValid =
    isText(role) &&
    (isOptionalText(content) || (Array.isArray(content) && content.every(isObject))) &&
    isOptionalText(createdAt) &&
    isOptionalText(speaker) &&
    content !== undefined;
  if (!isValid) {
    throw brokenInput(
      `${place} must be { "role": "user", "content": "…", "createdAt": "2026-11-21T08:00:00Z" }; createdAt is optional.`,
    );
  }
  // Checked here, because a time in the start of a conversation identifies it.
  const failure = checkRecord({ content: '-', createdAt: (createdAt as string | null) ?? undefined }, place);
  if (failure !== undefined) throw failure;
  return {
    role: role as string,
    speaker: (speaker as string | null) ?? undefined,
    text: textOf(content),
    createdAt: (createdAt as string | null) ?? undefined,
    index,
    place,
  };
}

function utterance({ role, speaker, text, createdAt, index }: MessageLine, conversation: string) {
  return {
    conversation,
    key: [index, role, text],
    index,
    speaker: speaker ?? role,
    // Puts the name in the text, so that a question about a person finds what they said.
    text: speaker === undefined || text.trim() === '' ? text : `${speaker}: ${text}`,
    createdAt,
    metadata: { role },
  };
}
