import { type Namespace, parseNamespace } from '@keepsake/core';
import { checkNamespace, expect } from '@keepsake/core/adapter';
import { asSegment, isReserved, quoted } from '@keepsake/internal';

/** The placeholders of templates. */
export type Placeholder = 'agent_name' | 'agent_owner' | 'session_id' | 'user_id' | 'team_name' | 'run_id';

/** The values of the placeholders. */
export type Values = Partial<Readonly<Record<Placeholder, string>>>;

/** A segment of a template: text, or a placeholder with text before and after it. */
interface Part {
  readonly before: string;
  readonly placeholder: Placeholder | undefined;
  readonly after: string;
}

/**
 * A namespace with placeholders, such as `agent:{agent_name}`. Each value stays within its segment, whatever it contains;
 * placeholders in values are plain text.
 */
export class Template {
  readonly text: string;
  readonly #parts: readonly Part[];

  private constructor(text: string, parts: readonly Part[]) {
    this.text = text;
    this.#parts = parts;
  }

  /**
   * Parses a template: a namespace as `formatNamespace` writes it, with placeholders in braces.
   *
   * @param what - Its name in error messages.
   * @param placeholders - The allowed placeholders.
   * @throws MemoryError `INVALID_ARGUMENT` for an unknown placeholder, two in one segment, or a reserved segment.
   */
  static parse(text: string, what: string, placeholders: readonly Placeholder[]): Template {
    expect(typeof text === 'string' && text !== '', `${what} must be a template such as 'agent:{agent_name}'.`);
    return new Template(
      text,
      parseNamespace(text).map((segment) => parsePart(segment, what, placeholders)),
    );
  }

  get placeholders(): readonly Placeholder[] {
    return this.#parts.flatMap(({ placeholder }) => placeholder ?? []);
  }

  /**
   * The template without this placeholder and the separators around it: `org:team-{session_id}` becomes `org:team`. A segment
   * with nothing else in it is left out.
   */
  without(placeholder: Placeholder): Template {
    const parts = this.#parts.flatMap((part) => {
      if (part.placeholder !== placeholder) return [part];
      const [before, after] = [part.before.replace(SEPARATORS_AT_END, ''), part.after.replace(SEPARATORS_AT_START, '')];
      const between = part.before.slice(before.length) || part.after.slice(0, part.after.length - after.length);
      const left = before === '' || after === '' ? before + after : before + between + after;
      return left === '' ? [] : [{ before: asSegment(left), placeholder: undefined, after: '' }];
    });
    return new Template(this.text, parts);
  }

  /** The namespace. Throws `INVALID_ARGUMENT` if a value is missing or too long for a segment. */
  resolve(values: Values): Namespace {
    const segments = this.#parts.map(({ before, placeholder, after }) => {
      if (placeholder === undefined) return before;
      const value = values[placeholder];
      expect(
        value !== undefined && value !== '',
        `The namespace template ${quoted(this.text)} needs ${NEEDS[placeholder]}.`,
      );
      return asSegment(before + value + after);
    });
    return checkNamespace(segments);
  }

  /** Whether the template can resolve to this namespace or to a prefix of it. */
  leadsTo(namespace: Namespace): boolean {
    return this.#parts.every((part, index) => {
      const segment = namespace[index];
      return segment !== undefined && (part.placeholder === undefined ? part.before === segment : fits(part, segment));
    });
  }

  /** The number of segments. */
  get length(): number {
    return this.#parts.length;
  }

  /** The template with some placeholders filled in. */
  with(values: Values): Template {
    const parts = this.#parts.map((part) => {
      const value = part.placeholder && values[part.placeholder];
      if (value === undefined) return part;
      return { before: asSegment(part.before + value + part.after), placeholder: undefined, after: '' };
    });
    return new Template(this.text, parts);
  }

  /** Whether both templates can resolve to the same namespace. */
  meets(other: Template): boolean {
    return (
      this.#parts.length === other.#parts.length &&
      this.#parts.every((part, index) => partsMeet(part, other.#parts[index] as Part))
    );
  }
}

const SEPARATORS_AT_END = /[\s._~/|+#@-]+$/;
const SEPARATORS_AT_START = /^[\s._~/|+#@-]+/;

const NEEDS: Readonly<Record<Placeholder, string>> = {
  agent_name: 'the name of the agent',
  agent_owner: 'an agent with an owner',
  session_id: 'a sessionId',
  user_id: 'a principal',
  team_name: 'a team',
  run_id: 'a runId',
};

function parsePart(segment: string, what: string, placeholders: readonly Placeholder[]): Part {
  const [before = '', name, after = '', ...more] = segment.split(/[{}]/);
  if (name === undefined) {
    expect(!isReserved(segment), `${what}: the segment ${quoted(segment)} is reserved. Use another one.`);
    return { before, placeholder: undefined, after: '' };
  }
  const isWhole = segment === `${before}{${name}}${after}` && more.length === 0;
  expect(isWhole, `${what}: a segment can contain only one {placeholder} and no other braces.`);
  const placeholder = placeholders.find((one) => one === name);
  const list = placeholders.map((one) => `{${one}}`).join(', ');
  expect(placeholder, `${what}: unknown placeholder ${quoted(`{${name}}`)}. Available placeholders: ${list}.`);
  return { before, placeholder, after };
}

/** Whether a segment can be this part with a value filled in. */
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
