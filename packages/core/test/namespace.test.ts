import { memoryError } from '@keepsake/testing/memory-error';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNamespace, parseNamespace } from '../src/index.ts';
import { checkNamespace, isWithin, sameNamespace } from '../src/store/namespace.ts';

const refused = (message: string | RegExp) => memoryError('INVALID_ARGUMENT', message);

/** Segments of separators, escapes, invisible characters and lookalikes. */
const hostile = fc.oneof(
  fc.string({
    unit: fc.constantFrom(
      ...':*?[]\\%_./ aA{}',
      '%3A',
      '%00',
      '..',
      '\n',
      '\u007f',
      '\u0085',
      'é',
      'e\u0301',
      '\u2028',
      '😀',
    ),
    minLength: 1,
    maxLength: 8,
  }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0')),
  fc.constantFrom('user', 'alice', 'CON', '__proto__', 'x'.repeat(256)),
);
const namespaces = fc.array(hostile, { maxLength: 4 });

describe('checkNamespace', () => {
  it('returns a frozen copy', () => {
    const given = ['u', 'alice'];
    const checked = checkNamespace(given);
    given[1] = 'bob';
    expect(checked).toEqual(['u', 'alice']);
    expect(Object.isFrozen(checked)).toBe(true);
    expect(checkNamespace([])).toEqual([]);
  });

  it.each([
    ['an empty segment', ['a', ''], 'Segment 1 of the namespace is empty.'],
    ['an overlong segment', ['x'.repeat(257)], 'Segment 0 of the namespace is longer than 256 characters.'],
    ['NUL', ['a', 'b', 'c\0'], 'Segment 2 of the namespace holds a NUL character.'],
    ['a lone surrogate', ['\ud800'], 'Segment 0 of the namespace holds a lone surrogate.'],
    ['a number', [1], 'Segment 0 of the namespace is not a string.'],
    ['undefined', ['user', undefined], 'Segment 1 of the namespace is not a string.'],
    ['a hole', new Array(1), 'Segment 0 of the namespace is not a string.'],
    ['a string', 'u:alice', "A namespace is an array of segments, such as ['u', 'alice']."],
    ['nothing', undefined, "A namespace is an array of segments, such as ['u', 'alice']."],
  ])('refuses %s', (_name, namespace, message) => {
    expect(() => checkNamespace(namespace as string[])).toThrow(refused(message));
    expect(() => formatNamespace(namespace as string[])).toThrow(refused(message));
  });

  it('accepts segments of 256 characters, and surrogate pairs', () => {
    expect(checkNamespace(['x'.repeat(256), '😀'])).toHaveLength(2);
  });
});

describe('formatNamespace and parseNamespace', () => {
  it('write readable text', () => {
    expect(formatNamespace(['agent', 'research-assistant', 'u', 'alice'])).toBe('agent:research-assistant:u:alice');
    expect(formatNamespace([])).toBe('');
    expect(formatNamespace(['a:b/c%d', 'é😀', '\n\u007f\u0085'])).toBe('a%3Ab%2Fc%25d:é😀:%0A%7F%C2%85');
  });

  it('are exact inverses for any namespace', () => {
    fc.assert(
      fc.property(namespaces, (namespace) => {
        expect(parseNamespace(formatNamespace(namespace))).toEqual(namespace);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never write two namespaces as the same text', () => {
    fc.assert(
      fc.property(namespaces, namespaces, (a, b) => {
        expect(formatNamespace(a) === formatNamespace(b)).toBe(sameNamespace(a, b));
      }),
      { numRuns: 2_000 },
    );
    const alike = [['a:b'], ['a', 'b'], ['a%3Ab'], ['a%3ab'], ['a', ':b'], ['a:', 'b'], ['A', 'b'], ['é'], ['e\u0301']];
    expect(new Set(alike.map(formatNamespace)).size).toBe(alike.length);
  });

  it('restore every text that parses, and refuse all others', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...':%/0123abcAF\n', 'é', '😀'), maxLength: 12 }), (text) => {
        let parsed: readonly string[];
        try {
          parsed = parseNamespace(text);
        } catch (error) {
          expect(error).toEqual(memoryError('INVALID_ARGUMENT', /./));
          return;
        }
        expect(formatNamespace(parsed)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a letter that needs no encoding', '%61', '"%61" isn\'t a formatted namespace. Use formatNamespace().'],
    ['lower-case hex digits', 'a%3ab', '"a%3ab" isn\'t a formatted namespace. Use formatNamespace().'],
    ['an unencoded slash', 'a/b', '"a/b" isn\'t a formatted namespace. Use formatNamespace().'],
    ['an unencoded control character', 'a\nb', '"a\\nb" isn\'t a formatted namespace. Use formatNamespace().'],
    ['an encoded NUL', 'a:%00', 'Segment 1 of the namespace holds a NUL character.'],
    ['an incomplete encoding', 'a:%4', '"%4" has a broken percent-encoding.'],
    ['an encoding that is not UTF-8', '%C2', '"%C2" has a broken percent-encoding.'],
    ['an encoded surrogate', '%ED%A0%80', '"%ED%A0%80" has a broken percent-encoding.'],
    ['an empty segment', 'a::b', 'Segment 1 of the namespace is empty.'],
    ['a separator alone', ':', 'Segment 0 of the namespace is empty.'],
    ['a lone surrogate', '\udc00', 'Segment 0 of the namespace holds a lone surrogate.'],
  ])('refuse %s', (_name, text, message) => {
    expect(() => parseNamespace(text)).toThrow(refused(message));
  });

  it('quote only the beginning of a long text', () => {
    const text = `%61${'x'.repeat(200)}`;
    expect(() => parseNamespace(text)).toThrow(
      refused(`"${text.slice(0, 80)}…" isn't a formatted namespace. Use formatNamespace().`),
    );
  });
});

describe('isWithin and sameNamespace', () => {
  it('compare segment by segment', () => {
    expect(isWithin(['u', 'alice'], ['u'])).toBe(true);
    expect(isWithin(['u', 'alice'], ['u', 'alice'])).toBe(true);
    expect(isWithin(['u', 'alice'], [])).toBe(true);
    expect(isWithin(['u'], ['u', 'alice'])).toBe(false);
    expect(isWithin(['u', 'alice2'], ['u', 'alice'])).toBe(false);
    expect(isWithin(['us'], ['u'])).toBe(false);
    expect(isWithin(['u:alice'], ['u'])).toBe(false);
    expect(sameNamespace(['a', 'b'], ['a', 'b'])).toBe(true);
    expect(sameNamespace(['a', 'b'], ['a'])).toBe(false);
    expect(sameNamespace(['a'], ['a', 'b'])).toBe(false);
    expect(sameNamespace(['a:b'], ['a', 'b'])).toBe(false);
    expect(sameNamespace([], [])).toBe(true);
  });

  it('match namespaces below, and none beside', () => {
    fc.assert(
      fc.property(namespaces, namespaces, (outer, more) => {
        expect(isWithin([...outer, ...more], outer)).toBe(true);
        expect(isWithin(outer, [...outer, ...more])).toBe(more.length === 0);
        expect(sameNamespace(outer, [...outer])).toBe(true);
        const last = outer.at(-1);
        if (last !== undefined) expect(isWithin([...outer.slice(0, -1), `${last}x`], outer)).toBe(false);
      }),
    );
  });
});
