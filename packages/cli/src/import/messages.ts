import { isObject, textOf, type Unknown } from '../json-values.ts';
import { brokenInput } from './broken-input.ts';
import type { Format, Found } from './found.ts';
import { digest, toFound } from './utterance.ts';

interface MessageLine {
  readonly role: string;
  readonly speaker: string | undefined;
  readonly text: string;
  readonly createdAt: string | undefined;
  readonly index: number;
  readonly place: string;
}

/** What stands before the first of these roles is the same in many conversations. */
const PREAMBLE: readonly string[] = ['system', 'developer'];
/** No preamble is so long. */
const MAX_PREAMBLE = 100;

/**
 * Messages, one a line: `{ role, content, createdAt?, speaker? }`. All of an input are one conversation.
 *
 * It has no name of its own, and its file may be renamed or grow. So it is known by how it begins, up to the first
 * message of a person or a model; and a message by its place and words, so that of two conversations that begin alike
 * nothing is lost.
 */
export function messages(): Format {
  let count = 0;
  let conversation: string | undefined;
  let waiting: MessageLine[] = [];

  function* begin(): Iterable<Found> {
    conversation ??= digest(waiting.map(({ role, text, createdAt }) => [role, text, createdAt]));
    for (const line of waiting) yield toFound(utterance(line, conversation), line.place);
    waiting = [];
  }

  return {
    matches: (value) => 'role' in value,
    *read(value, place) {
      const line = readMessage(value, count++, place);
      waiting.push(line);
      const begins = !PREAMBLE.includes(line.role) || waiting.length === MAX_PREAMBLE;
      if (conversation !== undefined || begins) yield* begin();
    },
    end: begin,
  };
}

function readMessage({ role, content, speaker, createdAt }: Unknown, index: number, place: string): MessageLine {
  const isText = (value: unknown) => typeof value === 'string';
  const isOptionalText = (value: unknown) => value === undefined || value === null || isText(value);
  const sound =
    isText(role) &&
    (isOptionalText(content) || (Array.isArray(content) && content.every(isObject))) &&
    isOptionalText(createdAt) &&
    isOptionalText(speaker) &&
    content !== undefined;
  if (!sound) {
    throw brokenInput(
      `${place} is to be { "role": "user", "content": "…", "createdAt": "2026-11-21T08:00:00Z" }, the last if it is known.`,
    );
  }
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
    // A question that names somebody finds what they said.
    text: speaker === undefined || text.trim() === '' ? text : `${speaker}: ${text}`,
    createdAt,
    metadata: { role },
  };
}
