import { escapeAttribute, escapeText } from '@keepsake/internal';

/** A message as an element of a prompt. */
export interface PromptMessage {
  /** The start tag. */
  readonly tag: string;
  readonly text: string;
}

/** A shorter part of a message tells a model nothing: with more messages than that, some are left out. */
const MIN_BYTES = 120;

/** Of these many messages that fit, this part are the first ones, and the others the last. */
const SHARE_OF_FIRST = 0.25;

const ELLIPSIS = ' … ';

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();

/**
 * Messages as lines with quoted data, together at most `maxBytes` of UTF-8. Cuts the longest messages first, in the middle,
 * because their beginning and end say most. If there are too many, leaves out some in the middle and says how many.
 */
export function fitMessages(messages: readonly PromptMessage[], maxBytes: number): string[] {
  if (messages.length === 0) return [];
  const cost = messages.reduce((sum, message) => sum + overhead(message), 0);
  const texts = messages.map(({ text }) => fitText(text, maxBytes));
  const share = fairShare(texts.map(byteLength), maxBytes - cost);
  if (share >= MIN_BYTES || share === Infinity) {
    return messages.map(({ tag }, place) => line(tag, cutInTheMiddle(texts[place] as string, share)));
  }
  const omission = '<omitted messages="…"/>';
  const room = maxBytes - byteLength(omission) - 20;
  const longest = messages.reduce((max, message) => Math.max(max, overhead(message)), 0);
  const count = Math.max(0, Math.floor(room / (MIN_BYTES + longest)));
  const first = Math.floor(count * SHARE_OF_FIRST);
  const kept = [...messages.slice(0, first), ...messages.slice(messages.length - (count - first))];
  const lines = fitMessages(kept, room);
  return lines.toSpliced(first, 0, omission.replace('…', String(messages.length - kept.length)));
}

/** A text as quoted data of at most `maxBytes` of UTF-8. Keeps the beginning and the end of a longer one. */
export function fitText(text: string, maxBytes: number): string {
  // Escaping all of a very long text would only cost time.
  const half = Math.ceil(maxBytes / 2);
  const part = text.length <= 2 * half ? text : `${text.slice(0, half)}${ELLIPSIS}${text.slice(-half)}`;
  return cutInTheMiddle(escapeText(part), maxBytes);
}

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** The length of the tags and the line break of a message. */
function overhead({ tag }: PromptMessage): number {
  return byteLength(tag) + (tag.split(' ', 1)[0] as string).length + '<></>\n'.length;
}

function line(tag: string, text: string): string {
  return `<${tag}>${text}</${tag.split(' ', 1)[0]}>`;
}

/** The size to which the longest of some sizes must be cut so that all fit together. */
function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [place, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - place));
    if (size > share) return share;
    left -= size;
  }
  return left < 0 ? 0 : Infinity;
}

/** Cuts an escaped text to a number of bytes, never within a character or an entity. */
function cutInTheMiddle(text: string, maxBytes: number): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor((maxBytes - byteLength(ELLIPSIS)) / 2);
  if (half <= 0) return '';
  let start = half;
  while (isInside(bytes[start])) start--;
  let end = bytes.length - half;
  while (isInside(bytes[end])) end++;
  const head = decoder.decode(bytes.subarray(0, start)).replace(/&[a-z]{0,3}$/, '');
  const tail = decoder.decode(bytes.subarray(end)).replace(/^[a-z]{0,3};/, '');
  return `${head}${ELLIPSIS}${tail}`;
}

/** Whether a byte continues a character. */
function isInside(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

/** Enough to tell people apart. */
const MAX_NAME = 100;

/** The attribute of a tag with the name of a speaker. */
export function nameAttribute(name: string | undefined): string {
  return name === undefined ? '' : ` name="${escapeAttribute(name.slice(0, MAX_NAME))}"`;
}
