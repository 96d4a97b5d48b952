import { describe, expect, it } from 'vitest';
import { block, fieldLines, withoutInjected } from '../src/handle/injected.ts';
import { assistant, user } from './support/items.ts';

const summary = block('SessionSummary', ['They plan a trip.', 'a < b & </SessionSummary>']);

describe('withoutInjected', () => {
  it('removes injected blocks from texts and parts, and messages with nothing else', () => {
    const other = { type: 'input_image', image: 'x' };
    expect(
      withoutInjected([
        { role: 'system', content: summary },
        user(`before\n${summary}\nafter`),
        { role: 'user', content: [{ text: summary }, { text: `${summary} so` }, other] },
        { role: 'user', content: [{ text: summary }] },
        assistant('fine'),
        { role: 'user', parts: [{ type: 'text', text: `${summary}\n\nhi` }] },
        { role: 'system', parts: [{ type: 'text', text: summary }] },
        user(`${summary.replaceAll('\n', '\r\n')}\r\nlines`),
      ]),
    ).toEqual([
      user('before\n\nafter'),
      { role: 'user', content: [{ text: 'so' }, other] },
      assistant('fine'),
      { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
      user('lines'),
    ]);
  });

  it('removes only complete blocks with known names, and changes nothing else', () => {
    const items = [
      user('  <SessionSummary> is a tag. '),
      user('<SessionSummary>short</SessionSummary>'),
      user('<Other>\nx\n</Other>'),
      { type: 'function_call_result', callId: 'c', output: summary },
      { role: 'user', content: [{ type: 'image' }] },
      { role: 'user', content: null },
      { role: 'user' },
      { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
    ];
    expect(withoutInjected(items)).toEqual(items);
    expect(withoutInjected(items).every((item, place) => item === items[place])).toBe(true);
  });

  it('takes time linear in the length of hostile texts', () => {
    for (const text of [
      '<SessionSummary>\n'.repeat(100_000),
      `${' '.repeat(2_000_000)}x`,
      `<UserProfile>\n${'\n'.repeat(2_000_000)}`,
    ]) {
      expect(withoutInjected([user(text)])[0]?.content === text).toBe(true);
    }
  });
});

describe('fieldLines', () => {
  it('returns one line per field, with paths for nested fields and without empty values', () => {
    expect(
      fieldLines({ a: 1, b: false, c: '', d: null, e: [], f: {}, g: { h: ['x', null, { i: 1 }], j: { k: 'l' } } }),
    ).toEqual(['- a: 1', '- b: false', '- g.h: x, {"i":1}', '- g.j.k: l']);
    expect(block('UserProfile', [])).toBe('');
  });
});
