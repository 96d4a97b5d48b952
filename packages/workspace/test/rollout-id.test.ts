import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeRolloutId, ROLLOUT_NAME, resolveRolloutId } from '../src/transcript/rollout-id.ts';

it('resolveRolloutId uses the conversation, otherwise the session, the group or a new id', () => {
  expect(resolveRolloutId({ conversationId: 'c', sessionId: 's', groupId: 'g' })).toBe('c');
  expect(resolveRolloutId({ sessionId: 's', groupId: 'g' })).toBe('s');
  expect(resolveRolloutId({ groupId: 'g' })).toBe('g');
  expect(resolveRolloutId({})).not.toBe(resolveRolloutId({}));
});

it('encodeRolloutId keeps plain ids and encodes others', () => {
  expect(encodeRolloutId('invoice-fix-7')).toBe('invoice-fix-7');
  expect(encodeRolloutId('conv_1')).toBe('conv~5f1');
  expect(encodeRolloutId('con')).toBe('~63on');
  expect(encodeRolloutId('../../etc/passwd')).not.toMatch(/[./]/);
});

it('encodeRolloutId accepts any string, and its results are unique even ignoring case', () => {
  // For `unit: 'binary'`, fast-check spends seconds on a table of all characters.
  const character = fc.integer({ min: 0, max: 0x10f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: character }),
    fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
    fc.constantFrom(
      '',
      'a',
      'A',
      '~',
      '~e',
      '~41',
      'a~',
      '\ud800',
      '~~d800',
      'con',
      '~63on',
      'x'.repeat(72),
      'x'.repeat(73),
      '_',
      '*',
    ),
  );
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(encodeRolloutId(a)).toMatch(ROLLOUT_NAME);
      expect(encodeRolloutId(a) === encodeRolloutId(b)).toBe(a === b);
    }),
    { numRuns: 1_000 },
  );
});
