import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeRolloutId, ROLLOUT_NAME, resolveRolloutId } from '../src/transcript/rollout-id.ts';

it('is that of the conversation, else of the session, else of the group, else a fresh one', () => {
  expect(resolveRolloutId({ conversationId: 'c', sessionId: 's', groupId: 'g' })).toBe('c');
  expect(resolveRolloutId({ sessionId: 's', groupId: 'g' })).toBe('s');
  expect(resolveRolloutId({ groupId: 'g' })).toBe('g');
  expect(resolveRolloutId({})).not.toBe(resolveRolloutId({}));
});

it('stands for itself where it is plain, and is encoded where it is not', () => {
  expect(encodeRolloutId('invoice-fix-7')).toBe('invoice-fix-7');
  expect(encodeRolloutId('conv_1')).toBe('conv~5f1');
  expect(encodeRolloutId('con')).toBe('~63on');
  expect(encodeRolloutId('../../etc/passwd')).not.toMatch(/[./]/);
});

it('takes any string, and gives no two the same, whatever their case', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
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
