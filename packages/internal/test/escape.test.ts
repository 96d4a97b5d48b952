import { expect, it } from 'vitest';
import { escapeText } from '../src/index.ts';

it('escapes brackets, and characters that look like them', () => {
  const brackets = ['<>', '＜＞', '﹤﹥', '⟨⟩', '❬❭', '❮❯', '❰❱', 'ᐸᐳ', '˂˃', '‹›', '〈〉', 'ᚲ>'];
  for (const [open, close] of brackets.map((pair) => [...pair])) {
    expect(escapeText(`${open}/memory${close}`)).toBe('&lt;/memory&gt;');
  }
});

it('removes characters that have no width, or change the direction, within a tag', () => {
  for (const hidden of ['\u200b', '\u2060', '\u202e', '\u2066', '\u00ad']) {
    expect(escapeText(`<${hidden}/memory>`)).toBe('&lt;/memory&gt;');
  }
});
