import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.ts';
import { defaultQueries } from '../../src/manager/injection/default-queries.ts';

const user = (content: Message['content']): Message => ({ role: 'user', content });
const assistant = (content: Message['content']): Message => ({ role: 'assistant', content });
const result = user([{ toolResult: { toolUseId: 't1', content: [{ text: 'Rain' }] } }]);
const exchange = [user('Who leads the Apollo project?'), assistant('Maria does.')];
const before = 'Who leads the Apollo project?\nMaria does.';
const textsOf = (messages: readonly Message[]) => defaultQueries(messages).map(({ text }) => text);

describe('default queries', () => {
  it.each([
    'Where do I live?',
    'Tell me who Marta is.',
    "Who's Joe?",
    'Book me a flight to Oslo',
    '\u6211\u7684\u822a\u73ed\u51e0\u70b9\u8d77\u98de',
    'Wann fliegt Maria nach Lissabon?',
  ])('are the question alone if it has its own subject: %s', (ask) => {
    expect(defaultQueries([...exchange, user(ask)])).toEqual([{ text: ask, weight: 1 }]);
  });

  it('include the previous exchange with a higher weight if the question names nobody', () => {
    expect(defaultQueries([...exchange, user('Where does she live?')])).toEqual([
      { text: 'Where does she live?', weight: 1 },
      { text: before, weight: expect.closeTo(0.8) },
    ]);
  });

  it.each([
    'And what about the other one in Oslo?',
    'Is that flight to Lisbon refundable?',
    'Lisbon?',
    '\u4ed6\u5462?',
    'Und er?',
  ])('include the previous exchange with a lower weight if the question refers back: %s', (ask) => {
    expect(defaultQueries([...exchange, user(ask)])).toEqual([
      { text: ask, weight: 1 },
      { text: before, weight: expect.closeTo(0.4) },
    ]);
  });

  it.each(['and him?', '?', 'ok', 'What did she say about that?', 'And why?'])(
    'are the previous exchange if the question has no subject: %s',
    (ask) => {
      expect(textsOf([...exchange, user(ask)])).toEqual([before]);
    },
  );

  it('go back to an exchange with a subject, but not through the whole history', () => {
    const chain = [user('and her?'), assistant('Also.'), user('?')];
    expect(textsOf([...exchange, ...chain])).toEqual([`${before}\nand her?\nAlso.`]);
    const asks = Array.from({ length: 20 }, (_, index) => user('?'.repeat(index)));
    expect(textsOf([...exchange, ...asks])).toEqual(
      ['16, 17, 18'].map(() => [16, 17, 18].map((n) => '?'.repeat(n)).join('\n')),
    );
  });

  it('are the question itself if nothing was said before', () => {
    expect(textsOf([user('and him?')])).toEqual(['and him?']);
    expect(textsOf([user('?')])).toEqual(['?']);
    expect(textsOf([])).toEqual([]);
  });

  it('do not treat a tool result as a question, and include the last words of the model with a lower weight', () => {
    const messages = [user('Where do I live?'), assistant('Let me look.'), result, assistant('One moment.'), result];
    expect(defaultQueries(messages)).toEqual([
      { text: 'Where do I live?', weight: 1 },
      { text: 'One moment.', weight: expect.closeTo(0.4) },
    ]);
    expect(textsOf([assistant('Step one is done.'), assistant('Step two is done.')])).toEqual(['Step two is done.']);
  });

  it('read text blocks, and use the previous exchange for a question without text', () => {
    expect(textsOf([user([{ text: 'Where do' }, { image: {} }, { text: 'I live?' }])])).toEqual(['Where do\nI live?']);
    expect(textsOf([...exchange, user([{ image: {} }])])).toEqual([before]);
  });

  it('are well-formed and short enough for a search', () => {
    const long = `What is Oslo? ${'\u{1F600}'.repeat(100_000)} Where do I live?`;
    const [query = ''] = textsOf([user(long)]);
    expect(query.length).toBeLessThanOrEqual(4_001);
    expect(query).toMatch(/^What is Oslo\?.*\n.*Where do I live\?$/su);
    expect(query.isWellFormed()).toBe(true);
    expect(textsOf([assistant('x'.repeat(1_000)), user('?')])).toEqual(['x'.repeat(300)]);
  });
});
