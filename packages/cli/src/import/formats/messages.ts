import { isObject } from '@keepsake/internal';
import { textOf } from '../../message-text.ts';
import { brokenInput } from '../broken-input.ts';
import { checkRecord } from '../check-record.ts';
import type { FoundEntry } from '../found-entry.ts';
import type { Format, UnknownObject } from './format.ts';
import { digestOf, toFoundEntry } from './utterance.ts';

/** A message, or an item of the OpenAI Agents SDK that is none, such as a tool call: its type is its role. */
export interface MessageLine {
  readonly role: string;
  readonly speaker: string | undefined;
  readonly text: string;
  readonly createdAt: string | undefined;
  readonly isTool: boolean;
  readonly index: number;
  readonly place: string;
}

/** The roles of instructions, which many conversations start with and share. */
const PREAMBLE: readonly string[] = ['system', 'developer'];
/** The maximum number of messages in a preamble. */
const MAX_PREAMBLE = 100;

/**
 * Messages, one per line: `{ role, content, createdAt?, speaker?, name? }`, and the items of a session of the OpenAI Agents SDK. An
 * input is one conversation.
 *
 * It has no id, and its file may be renamed or grow. So the conversation is identified by its start, up to and including the
 * first message of a person or a model. A message is identified by its position and content as well, so that two
 * conversations with the same start both keep all their messages.
 */
export function messages(): Format {
  const start = conversationStart();
  function* entriesOf(lines: readonly MessageLine[]): Iterable<FoundEntry> {
    for (const line of lines) yield toFoundEntry(utterance(line, start.id()), line.place);
  }
  return {
    name: 'messages',
    matches: isMessageLine,
    read: (value, place) => entriesOf(start.add(value, place)),
    skip: start.skip,
    end: () => entriesOf(start.end()),
  };
}

export function isMessageLine(value: UnknownObject): boolean {
  return 'role' in value || isToolItem(value);
}

/** Holds the lines of a conversation back until its start identifies it. */
export function conversationStart() {
  let count = 0;
  let conversation: string | undefined;
  let buffered: MessageLine[] = [];

  function take(): readonly MessageLine[] {
    conversation ??= digestOf(buffered.map(({ role, text, createdAt }) => [role, text, createdAt]));
    const lines = buffered;
    buffered = [];
    return lines;
  }

  return {
    /** Returns the lines up to this one, in order, or none as long as the conversation is not identified. */
    add(value: UnknownObject, place: string): readonly MessageLine[] {
      const line = readMessage(value, count, place);
      count++;
      buffered.push(line);
      const begins = !(line.isTool || PREAMBLE.includes(line.role)) || buffered.length === MAX_PREAMBLE;
      return conversation !== undefined || begins ? take() : [];
    },
    /** Counts a line that can't be read. Returns false in the start of a conversation, which identifies it. */
    skip(): boolean {
      if (count === 0) return true;
      count++;
      return conversation !== undefined;
    },
    /** Ends the input, and returns the lines that were held back. */
    end: take,
    /** The id of the conversation, once lines were returned. */
    id: () => conversation as string,
  };
}

function readMessage(value: UnknownObject, index: number, place: string): MessageLine {
  if (isToolItem(value)) {
    const role = value.type as string;
    return { role, speaker: undefined, text: '', createdAt: undefined, isTool: true, index, place };
  }
  const { role, content, name, speaker, createdAt, tool_calls } = value;
  const isText = (value: unknown) => typeof value === 'string';
  const isOptionalText = (value: unknown) => value === undefined || value === null || isText(value);
  const isValid =
    isText(role) &&
    (isOptionalText(content) || (Array.isArray(content) && content.every(isObject))) &&
    isOptionalText(createdAt) &&
    isOptionalText(speaker) &&
    (content !== undefined || Array.isArray(tool_calls));
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
    speaker:
      (speaker as string | null) ?? (isPerson(role) && isText(name) && name !== '' ? (name as string) : undefined),
    text: textOf(content),
    createdAt: (createdAt as string | null) ?? undefined,
    isTool: false,
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

/** Of other messages, such as results of tools, the name is not that of somebody who speaks. */
function isPerson(role: unknown): boolean {
  return role === 'user' || role === 'assistant';
}

/** The types of items in a history of the OpenAI Agents SDK, and of the Responses API, that are no messages. */
const TYPES =
  /^(reasoning|compaction|item_reference|unknown|function_call|.*_call|.*_call_(result|output)|mcp_.*|tool_search_.*|program(_output)?)$/;

/** Whether a value is an item of the OpenAI Agents SDK that is no message, such as a tool call. */
function isToolItem({ type, role }: UnknownObject): boolean {
  return role === undefined && typeof type === 'string' && TYPES.test(type);
}
