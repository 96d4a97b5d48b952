import { isMemoryError } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore, type InMemoryStoreOptions } from '../src/index.ts';

async function storeOf(texts: readonly string[], language?: InMemoryStoreOptions['language']): Promise<InMemoryStore> {
  const store = new InMemoryStore({ name: 'facts', language });
  for (const text of texts) await store.add(text);
  return store;
}

const ENGLISH = [
  'Caroline bought a red bicycle for her daughter.',
  'The bakery on the corner closes at six.',
  'Tomasz repairs pianos in an old workshop.',
  'Our neighbours are moving to Porto in autumn.',
  'She wants to learn how to sail.',
  'Wow!',
];

describe('a store of memories in several languages', () => {
  const others = [
    'Caroline hat ihrer Tochter ein rotes Fahrrad geschenkt, die Räder waren zu klein.',
    'La voisine a vendu ses vieux chevaux.',
    'Mi hermana trabajaba en varias panaderías.',
    'Мы купили две книги о пианино.',
  ];

  it.each([
    ['Wem gehört das Rad?', others[0]],
    ['Räder', others[0]],
    ['Wo steht das Fahrrad von Caroline?', others[0]],
    ['À qui était le cheval ?', others[1]],
    ['cheval', others[1]],
    ['¿Quién trabaja en la panadería?', others[2]],
    ['panadería', others[2]],
    ['Какую книгу мы купим?', others[3]],
    ['Who repaired the piano?', ENGLISH[2]],
    ['bakeries', ENGLISH[1]],
  ])('finds the text in the language of "%s"', async (query, content) => {
    const store = await storeOf([...ENGLISH, ...others]);
    expect((await store.search(query))[0]?.content).toBe(content);
  });

  it('finds a name in all languages', async () => {
    const store = await storeOf([...ENGLISH, ...others]);
    const found = (await store.search('Caroline')).map(({ content }) => content);
    expect(found.sort()).toEqual([ENGLISH[0], others[0]].sort());
  });

  it('supports several languages in a namespace below, too', async () => {
    const store = (await storeOf(ENGLISH)).within(['u', 'anna']);
    await store.add('Die Häuser am See sind alt.');
    expect(await store.search('Welches Haus ist alt?')).toHaveLength(1);
  });
});

describe('a store with a fixed language setting', () => {
  it('applies it to every text, also in namespaces below', async () => {
    const store = await storeOf(['Er ging'], 'none');
    await store.within(['user']).add('The mice were running');
    expect(await store.search('gehen')).toEqual([]);
    expect(await store.search('GING')).toHaveLength(1);
    expect(await store.within(['user']).search('mouse')).toEqual([]);
    expect(await store.within(['user']).search('the mice')).toHaveLength(1);
  });

  it('refuses an unknown language', () => {
    const make = () => new InMemoryStore({ name: 'facts', language: 'klingon' as never });
    expect(make).toThrow(/'de', 'en'.*leave it out/);
    expect(make).toThrow(expect.toSatisfy((error) => isMemoryError(error) && error.code === 'INVALID_ARGUMENT'));
  });
});
