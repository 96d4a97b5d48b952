import { describe, expect, it } from 'vitest';
import { quoted } from '../src/index.ts';

describe('quoted', () => {
  it('escapes characters that would break a log line, and shortens long text', () => {
    expect(quoted('a\n"b"\u001b')).toBe('"a\\n\\"b\\"\\u001b"');
    expect(quoted('x'.repeat(80))).toBe(`"${'x'.repeat(80)}"`);
    expect(quoted('x'.repeat(81))).toBe(`"${'x'.repeat(80)}…"`);
    expect(quoted(`${'x'.repeat(79)}😀`)).toBe(`"${'x'.repeat(79)}\\ud83d…"`);
  });
});
