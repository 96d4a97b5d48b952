import { quoted } from '@keepsake/internal';
import { MemoryError } from '../common/errors.ts';
import { expect } from '../common/expect.ts';
import { copyList, guarded } from '../common/read-values.ts';
import { expectText } from '../common/text.ts';

/**
 * A place in a tree of memories: a path of segments, from general to special, such as `['u', 'alice']`.
 *
 * A segment is 1 to 256 characters (UTF-16 code units) of any Unicode except NUL and lone surrogates. Namespaces are
 * compared segment by segment; `[]` is the root. Nothing ever matches on prefixes of joined strings.
 */
export type Namespace = readonly string[];

const MAX_SEGMENT = 256;

/** Returns a frozen copy of `namespace`. Throws `INVALID_ARGUMENT` with the invalid segment. */
export function checkNamespace(namespace: Namespace): Namespace {
  const message = "A namespace is an array of segments, such as ['u', 'alice'].";
  const segments = guarded('The namespace', () => copyList(namespace, message));
  for (const [index, segment] of segments.entries()) {
    expectText(segment, `Segment ${index} of the namespace`, MAX_SEGMENT);
  }
  return Object.freeze(segments);
}

/** Throws `INVALID_ARGUMENT` unless an option of a list can be a segment of a namespace. */
export function expectSegment(segment: unknown, option = 'segment'): asserts segment is string {
  const isText = typeof segment === 'string' && segment !== '' && segment.length <= MAX_SEGMENT;
  expect(
    isText && !segment.includes('\0') && segment.isWellFormed(),
    `A segment in \`${option}\` has 1 to 256 characters, no NUL, no lone surrogates. Leave it out to list all.`,
  );
}

/** Whether two namespaces are equal. */
export function sameNamespace(a: Namespace, b: Namespace): boolean {
  return a.length === b.length && isWithin(a, b);
}

/** Whether `inner` is `outer` or below it. */
export function isWithin(inner: Namespace, outer: Namespace): boolean {
  return outer.length <= inner.length && outer.every((segment, index) => segment === inner[index]);
}

/** Whether `inner` is strictly below `outer`. */
export function isBelow(inner: Namespace, outer: Namespace): boolean {
  return outer.length < inner.length && isWithin(inner, outer);
}

/**
 * Formats a namespace for people, such as `agent:research-assistant:u:alice`. The root is the empty string.
 *
 * `%`, `:`, `/` and control characters inside a segment are percent-encoded as UTF-8, so that {@link parseNamespace} is the
 * exact inverse.
 */
export function formatNamespace(namespace: Namespace): string {
  return checkNamespace(namespace).map(encodeSegment).join(':');
}

/** Parses the output of {@link formatNamespace}. Throws `INVALID_ARGUMENT` for any other text. */
export function parseNamespace(text: string): Namespace {
  if (text === '') return checkNamespace([]);
  const namespace = checkNamespace(text.split(':').map(decodeSegment));
  // Refuses other spellings, such as `%61` for `a`, so that each namespace has exactly one.
  expect(formatNamespace(namespace) === text, `${quoted(text)} isn't a formatted namespace. Use formatNamespace().`);
  return namespace;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are just what must be encoded
const ENCODED = /[%:/\u0001-\u001f\u007f-\u009f]/g;

function encodeSegment(segment: string): string {
  return segment.replace(ENCODED, encodeCharacter);
}

function encodeCharacter(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new MemoryError('INVALID_ARGUMENT', `${quoted(segment)} has a broken percent-encoding.`, { cause });
  }
}
