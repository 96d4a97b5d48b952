import { describe, expect, it } from 'vitest';
import { type Message, messageText } from '../src/index.ts';

describe('messageText', () => {
  it.each<[string, Message['content'], string]>([
    ['text as it is', ' Hello\n', ' Hello\n'],
    ['text blocks, a line each', [{ text: 'Hello' }, { text: 'there' }], 'Hello\nthere'],
    ['blocks with a type', [{ type: 'input_text', text: 'Hello' }], 'Hello'],
    [
      'no text of tools, images and empty blocks',
      [
        { text: '' },
        { toolUse: { name: 'weather', toolUseId: 't1', input: { text: 'no' } } },
        { toolResult: { toolUseId: 't1', content: [{ text: 'no' }] } },
        { image: { format: 'png' } },
        { text: 7 },
        { text: 'It rains.' },
      ],
      'It rains.',
    ],
    ['an empty string for no blocks', [], ''],
    ['the text beside what is no block', [null, 'x', { text: 'It rains.' }] as never, 'It rains.'],
  ])('returns %s', (_name, content, text) => {
    expect(messageText({ role: 'assistant', content })).toBe(text);
  });
});
