import { describe, expect, it } from 'vitest';
import { block, fieldLines, withoutInjected } from '../src/handle/injected.ts';
import { assistant, user } from './support/items.ts';

const summary = block('SessionSummary', ['They plan a trip.', 'a < b & </SessionSummary>']);

describe('what was injected', () => {
  it('goes from texts and parts, and with it messages that held nothing else', () => {
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

  it('is whole blocks of its own names, and nothing else is touched', () => {
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

  it('is found in hostile texts, in time that grows with their length', () => {
    for (const text of [
      '<SessionSummary>\n'.repeat(100_000),
      `${' '.repeat(2_000_000)}x`,
      `<UserProfile>\n${'\n'.repeat(2_000_000)}`,
    ]) {
      expect(withoutInjected([user(text)])[0]?.content === text).toBe(true);
    }
  });
});

describe('fields', () => {
  it('are a line each, those of objects by their paths, without what is empty', () => {
    expect(
      fieldLines({ a: 1, b: false, c: '', d: null, e: [], f: {}, g: { h: ['x', null, { i: 1 }], j: { k: 'l' } } }),
    ).toEqual(['- a: 1', '- b: false', '- g.h: x, {"i":1}', '- g.j.k: l']);
    expect(block('UserProfile', [])).toBe('');
  });
});
