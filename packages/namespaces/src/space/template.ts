import { checkNamespace, type Namespace, parseNamespace } from '@keepsake/core';
import { expect, quoted } from '../guards/expect.ts';
import { asSegment, isReserved } from './reserved.ts';

/** What a template can hold in braces. */
export type Placeholder = 'agent_name' | 'agent_owner' | 'session_id' | 'user_id' | 'team_name' | 'run_id';

/** What stands for the placeholders. */
export type Values = Partial<Readonly<Record<Placeholder, string>>>;

/** A segment of a template: text, or a value with text before and after it. */
interface Part {
  readonly before: string;
  readonly placeholder: Placeholder | undefined;
  readonly after: string;
}

/**
 * A namespace with places for values, such as `agent:{agent_name}`.
 *
 * Each value stays within its segment, whatever it holds, and what looks like a placeholder in it is text.
 */
export class Template {
  readonly text: string;
  readonly #parts: readonly Part[];

  private constructor(text: string, parts: readonly Part[]) {
    this.text = text;
    this.#parts = parts;
  }

  /**
   * Reads a template as `formatNamespace` would write it, but for the braces.
   *
   * @param what - Names it in error messages.
   * @param known - The placeholders that it may have.
   * @throws MemoryError `INVALID_ARGUMENT` for an unknown placeholder, two in one segment, or a reserved segment.
   */
  static parse(text: string, what: string, known: readonly Placeholder[]): Template {
    expect(typeof text === 'string' && text !== '', `${what} is to be a template, such as 'agent:{agent_name}'.`);
    return new Template(
      text,
      parseNamespace(text).map((segment) => parsePart(segment, what, known)),
    );
  }

  get placeholders(): readonly Placeholder[] {
    return this.#parts.flatMap(({ placeholder }) => placeholder ?? []);
  }

  /** The same without the segments that hold a placeholder. */
  without(placeholder: Placeholder): Template {
    return new Template(
      this.text,
      this.#parts.filter((part) => part.placeholder !== placeholder),
    );
  }

  /** The namespace; `INVALID_ARGUMENT` where a value is missing, or too long for a segment. */
  resolve(values: Values): Namespace {
    const segments = this.#parts.map(({ before, placeholder, after }) => {
      if (placeholder === undefined) return before;
      const value = values[placeholder];
      expect(value !== undefined && value !== '', `The namespace ${quoted(this.text)} needs ${NEEDS[placeholder]}.`);
      return asSegment(before + value + after);
    });
    return checkNamespace(segments);
  }

  /** Whether some values would give that namespace, or the beginning of it. */
  leadsTo(namespace: Namespace): boolean {
    return this.#parts.every((part, index) => {
      const segment = namespace[index];
      return segment !== undefined && (part.placeholder === undefined ? part.before === segment : fits(part, segment));
    });
  }

  /** How many segments it gives. */
  get length(): number {
    return this.#parts.length;
  }

  /** The template where some values are known already. */
  with(values: Values): Template {
    const parts = this.#parts.map((part) => {
      const value = part.placeholder && values[part.placeholder];
      if (value === undefined) return part;
      return { before: asSegment(part.before + value + part.after), placeholder: undefined, after: '' };
    });
    return new Template(this.text, parts);
  }

  /** Whether two templates could ever give the same namespace. */
  meets(other: Template): boolean {
    return (
      this.#parts.length === other.#parts.length &&
      this.#parts.every((part, index) => partsMeet(part, other.#parts[index] as Part))
    );
  }
}

const NEEDS: Readonly<Record<Placeholder, string>> = {
  agent_name: 'the name of the agent',
  agent_owner: 'an agent that has an owner',
  session_id: 'a sessionId',
  user_id: 'a principal',
  team_name: 'a team',
  run_id: 'a runId',
};

function parsePart(segment: string, what: string, known: readonly Placeholder[]): Part {
  const [before = '', name, after = '', ...more] = segment.split(/[{}]/);
  if (name === undefined) {
    expect(!isReserved(segment), `${what}: the segment ${quoted(segment)} is reserved. Choose another.`);
    return { before, placeholder: undefined, after: '' };
  }
  const isWhole = segment === `${before}{${name}}${after}` && more.length === 0;
  expect(isWhole, `${what}: a segment can hold one {placeholder}, and no other braces.`);
  const placeholder = known.find((one) => one === name);
  const list = known.map((one) => `{${one}}`).join(', ');
  expect(placeholder, `${what}: there is no placeholder ${quoted(`{${name}}`)} here. There are: ${list}.`);
  return { before, placeholder, after };
}

/** Whether a segment can be that part with a value in it. */
function fits(part: Part, segment: string): boolean {
  const { before, after } = part;
  const plain = isReserved(segment) ? segment.slice(1) : segment;
  return plain.length > before.length + after.length && plain.startsWith(before) && plain.endsWith(after);
}

function partsMeet(a: Part, b: Part): boolean {
  if (a.placeholder === undefined) return b.placeholder === undefined ? a.before === b.before : fits(b, a.before);
  if (b.placeholder === undefined) return fits(a, b.before);
  const begin = a.before.startsWith(b.before) || b.before.startsWith(a.before);
  const end = a.after.endsWith(b.after) || b.after.endsWith(a.after);
  return begin && end;
}
