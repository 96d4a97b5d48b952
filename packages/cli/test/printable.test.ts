import { describe, expect, it } from 'vitest';
import { printable } from '../src/output/printable.ts';

describe('printable', () => {
  it.each([
    ['a colour', 'Beware \u001b[31mred\u001b[0m paint', 'Beware red paint'],
    ['a colour before a bell, which is no link', 'Beware \u001b[31mred\u0007 paint', 'Beware red\ufffd paint'],
    ['a colour with colons', '\u001b[38:2::1:2:3mred', 'red'],
    ['a control sequence of one character', 'red\u009b2Jpaint', 'redpaint'],
    ['a link', '\u001b]8;;http://example.com\u0007red\u001b]8;;\u001b\\ paint', 'red paint'],
    ['a title that ends with ST', '\u001b]0;title\u001b\\red \u009dtitle\u009cpaint', 'red paint'],
    ['a title that never ends', '\u001b]0;red paint', '0;red paint'],
    ['a device control string', '\u001bP1$r0m\u001b\\red', 'red'],
    ['a character set', '\u001b(Bred', 'red'],
    ['an escape at the end', 'red\u001b', 'red\ufffd'],
  ])('drops %s and keeps the text', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('shows where text was hidden or turned around', () => {
    expect(printable('safe\u202etxt.exe')).toBe('safe\ufffdtxt.exe');
    expect(printable('ali\u200bce \u2066x\u2069 \ufeff')).toBe('ali\ufffdce \ufffdx\ufffd \ufffd');
    expect(printable('tags \u{e0041}\u{e0042}, fillers \u115f\u3164 and selectors \ufe01\u{e0101}')).toBe(
      'tags \ufffd\ufffd, fillers \ufffd\ufffd and selectors \ufffd\ufffd',
    );
    expect(printable('👩\u200d🚀 ক\u200cষ')).toBe('👩\u200d🚀 ক\u200cষ');
  });

  it('is fast for many unterminated sequences', () => {
    // Not by the clock, because other processes may be busy.
    const began = process.cpuUsage();
    for (const start of ['\u001b]', '\u009d', '\u009b;', '\u001b[1', '\u001b(']) {
      expect(printable(start.repeat(200_000))).not.toContain('\u001b');
    }
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });

  it('replaces line breaks and tabs by spaces, unless lines are kept', () => {
    expect(printable('a\tb\r\nc\u2028d\re')).toBe('a b c d e');
    expect(printable('a\tb\r\nc\u2028d\re', { lines: true })).toBe('a b\nc\nd\ne');
  });
});
