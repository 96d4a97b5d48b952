import type { MemoryModel } from '@keepsake/core';

/** Scripted answers in place of a model, so that this program needs no API key. */
const LEARNS: readonly (readonly [RegExp, object])[] = [
  [/I am Alice/, { name: 'Alice', home: { city: 'Berlin', country: 'Germany' } }],
  [/moved to Lisbon/, { home: { city: 'Lisbon', country: 'Portugal' }, likes: ['rye bread'] }],
  [/no more rye/, { likes: ['corn bread', 'strong coffee'] }],
];

export const scriptedModel: MemoryModel = {
  async generate({ prompt }) {
    const said = prompt.slice(prompt.indexOf('<said>'));
    return { text: JSON.stringify(LEARNS.find(([pattern]) => pattern.test(said))?.[1] ?? {}) };
  },
};
