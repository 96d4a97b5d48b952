import { FileStore } from '@keepsake/file';
import type { Entity } from '@keepsake/internal';
import { useDirectory } from '@keepsake/testing';
import { expect, it, vi } from 'vitest';
import { fitGraph } from '../src/graph/fit-graph.ts';
import { KnowledgeGraph } from '../src/graph/knowledge-graph.ts';

const directory = useDirectory();
const { signal } = new AbortController();

const ENTITIES = [
  { name: 'Alice', entityType: 'person', observations: ['plays the cello in E-flat', 'lives at Lange Straße 4'] },
  { name: 'cellophane', entityType: 'material', observations: [] },
  { name: 'Quartet', entityType: 'ensemble', observations: ['Alice PLAYS THE first part', '100 % C++'] },
  { name: 'graph-entity:odd', entityType: 'two\nlines', observations: ['"quoted"'] },
];
const RELATIONS = [
  { from: 'Alice', to: 'Quartet', relationType: 'plays in' },
  { from: 'cellophane', to: 'Alice', relationType: 'wraps a cello of' },
];

/** A graph in a namespace with other memories. */
async function filledGraph() {
  const store = new FileStore({ directory: directory.path, name: 'memory', durability: 'os' });
  const graph = new KnowledgeGraph(store);
  await store.put({ id: 'graph-entity:other', content: 'Plays the cello, and is no entity' });
  await store.put({ id: 'other', content: 'Plays the cello', metadata: { graph: 'entity' } });
  await graph.createEntities(ENTITIES);
  await graph.createRelations(RELATIONS);
  return { store, graph };
}

async function allFound(graph: KnowledgeGraph, query: string): Promise<Entity[]> {
  const found: Entity[] = [];
  for await (const entity of graph.search(query, signal)) found.push(entity);
  return found;
}

it('search finds every entity that contains the query in any letter case, once, and those that match by words first', async () => {
  const { graph } = await filledGraph();
  for (const query of [
    'LAYS THE',
    'cell',
    'e-FLAT',
    'straße',
    '% c',
    'c++',
    '"quoted"',
    'two\nlines',
    'ity:odd',
    'a',
  ]) {
    const part = query.toLowerCase();
    const expected = ENTITIES.filter(({ name, entityType, observations }) =>
      [name, entityType, ...observations].some((text) => text.toLowerCase().includes(part)),
    );
    const found = await allFound(graph, query);
    const names = found.map(({ name }) => name);
    expect({ query, names: [...new Set(names)] }).toEqual({ query, names });
    expect(found, query).toEqual(expect.arrayContaining(expected));
  }
  const [first, ...others] = await allFound(graph, 'cello');
  expect(first?.name).toBe('Alice');
  expect(others.map(({ name }) => name)).toEqual(['cellophane']);
});

it('search reads all entities only if those that match by words leave room in the answer', async () => {
  const { store, graph } = await filledGraph();
  await graph.createEntities(
    Array.from({ length: 40 }, (_, at) => ({
      name: `Cello ${at}`,
      entityType: 'instrument',
      observations: [`of a maple ${'x'.repeat(1_000)}`],
    })),
  );
  const list = vi.spyOn(store, 'list');
  const listsAll = () => list.mock.calls.some(([options]) => options?.idPrefix === 'graph-entity:');
  const { entities, note } = await fitGraph(graph, graph.search('maple', signal));
  expect(entities.length).toBeGreaterThan(5);
  expect(note).toContain('Only a part');
  expect(listsAll()).toBe(false);
  const parts = await fitGraph(graph, graph.search('aple', signal));
  expect(parts.entities.length).toBeGreaterThan(5);
  expect(listsAll()).toBe(true);
});

it('relations of an entity are found by both ends', async () => {
  const { graph } = await filledGraph();
  expect(await graph.relationsOf(['Alice'])).toEqual(expect.arrayContaining(RELATIONS));
  expect(await graph.relationsOf(['Quartet'])).toEqual([RELATIONS[0]]);
  expect(await graph.relationsOf(['other'])).toEqual([]);
  // Names are looked up in steps of 100.
  const others = Array.from({ length: 100 }, (_, n) => `other ${n}`);
  expect(await graph.relationsOf([...others.slice(1), 'Quartet'])).toEqual([RELATIONS[0]]);
  expect(await graph.relationsOf([...others, 'Quartet'])).toEqual([RELATIONS[0]]);
});
