import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.ts';
import { defaultQuery } from '../../src/manager/default-query.ts';

const user = (content: Message['content']): Message => ({ role: 'user', content });
const assistant = (content: Message['content']): Message => ({ role: 'assistant', content });
const result = user([{ toolResult: { toolUseId: 't1', content: [{ text: 'Rain' }] } }]);
const exchange = [user('Who leads the Apollo project?'), assistant('Maria does.')];

describe('the default query', () => {
  it.each([
    'Where do I live?',
    'Book me a flight to Oslo',
    'Is that flight to Lisbon refundable?',
    '\u6211\u7684\u822a\u73ed\u51e0\u70b9\u8d77\u98de',
    'Wann fliegt Maria nach Lissabon?',
  ])('is what the user asks, where that says what it is about: %s', (ask) => {
    expect(defaultQuery([...exchange, user(ask)])).toBe(ask);
  });

  it.each([
    'and him?',
    '?',
    'Lisbon?',
    'ok',
    'What did she say about that?',
    'And what about the other one?',
    '\u4ed6\u5462?',
  ])('has the exchange before it, where it is short or points back: %s', (ask) => {
    expect(defaultQuery([...exchange, user(ask)])).toBe(`Who leads the Apollo project?\nMaria does.\n${ask}`);
  });

  it('goes back until something was said, but not through the whole history', () => {
    const chain = [user('and her?'), assistant('Also.'), user('?')];
    expect(defaultQuery([...exchange, ...chain])).toBe(
      'Who leads the Apollo project?\nMaria does.\nand her?\nAlso.\n?',
    );
    const asks = Array.from({ length: 20 }, (_, index) => user(`${index}?`));
    expect(defaultQuery(asks)).toBe('16?\n17?\n18?\n19?');
  });

  it('is what there is, where nothing was said before', () => {
    expect(defaultQuery([user('and him?')])).toBe('and him?');
    expect(defaultQuery([user('?')])).toBe('?');
    expect(defaultQuery([])).toBe('');
  });

  it('takes no result of a tool for what the user asks, and what the model said last after it', () => {
    const messages = [user('Where do I live?'), assistant('Let me look.'), result, assistant('One moment.'), result];
    expect(defaultQuery(messages)).toBe('Where do I live?\nOne moment.');
    expect(defaultQuery([assistant('Step one is done.'), assistant('Step two is done.')])).toBe('Step two is done.');
  });

  it('reads the texts of blocks, and asks without text by what was said before', () => {
    expect(defaultQuery([user([{ text: 'Where do' }, { image: {} }, { text: 'I live?' }])])).toBe('Where do\nI live?');
    expect(defaultQuery([...exchange, user([{ image: {} }])])).toBe('Who leads the Apollo project?\nMaria does.');
  });

  it('is no longer than a search can use, and well-formed', () => {
    const long = `What is this? ${'\u{1F600}'.repeat(100_000)} Where do I live?`;
    const query = defaultQuery([user(long)]);
    expect(query.length).toBeLessThanOrEqual(4_001);
    expect(query).toMatch(/^What is this\?.*\n.*Where do I live\?$/su);
    expect(query.isWellFormed()).toBe(true);
    expect(defaultQuery([assistant('x'.repeat(1_000)), user('?')])).toBe(`${'x'.repeat(300)}\n?`);
  });
});
