import { expect } from '@keepsake/core/adapter';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { safeJson } from '../text/safe-json.ts';
import { type Answer, addMemoryTool, type ServedMemory } from '../tools/memory-tool.ts';
import { type FittingGraph, fitGraph } from './fit-graph.ts';
import { ENTITY, RELATION } from './graph-records.ts';
import { KnowledgeGraph } from './knowledge-graph.ts';

const NAMES = z.array(z.string()).max(1_000);
const GRAPH_OUTPUT = {
  entities: z.array(ENTITY),
  relations: z.array(RELATION),
  note: z.string().optional().describe('What the result leaves out'),
};
const DONE_OUTPUT = { success: z.boolean(), message: z.string() };

/** Registers the nine tools of the reference memory server, under its names and with its fields. */
export function graphTools(server: McpServer, memory: ServedMemory): void {
  const graph = new KnowledgeGraph(memory.store);
  changingTools(server, memory, graph);
  readingTools(server, memory, graph);
}

function changingTools(server: McpServer, memory: ServedMemory, graph: KnowledgeGraph): void {
  addMemoryTool(
    server,
    memory,
    {
      name: 'create_entities',
      title: 'Create entities',
      description: 'Creates entities in the knowledge graph. A name that exists stays as it is.',
      does: 'adds',
      input: { entities: z.array(ENTITY).max(1_000) },
      output: { entities: z.array(ENTITY).describe('Those that are new') },
    },
    async ({ entities }) => {
      for (const { name } of entities) expect(name.trim() !== '', 'The `name` of an entity must not be blank.');
      const created = await graph.createEntities(entities);
      return { text: safeJson(created), json: { entities: created } };
    },
  );
  addMemoryTool(
    server,
    memory,
    {
      name: 'create_relations',
      title: 'Create relations',
      description: 'Creates relations between entities, in active voice. A relation that exists stays as it is.',
      does: 'adds',
      input: { relations: z.array(RELATION).max(1_000) },
      output: { relations: z.array(RELATION).describe('Those that are new') },
    },
    async ({ relations }) => {
      const created = await graph.createRelations(relations);
      return { text: safeJson(created), json: { relations: created } };
    },
  );
  addMemoryTool(
    server,
    memory,
    {
      name: 'add_observations',
      title: 'Add observations',
      description: 'Adds observations to existing entities. What is known already is not added again.',
      does: 'adds',
      input: {
        observations: z
          .array(z.object({ entityName: z.string(), contents: z.array(z.string()).describe('One fact each') }))
          .max(1_000),
      },
      output: { results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })) },
    },
    async ({ observations }) => {
      await graph.expectEntities(observations.map(({ entityName }) => entityName));
      const results: { entityName: string; addedObservations: string[] }[] = [];
      for (const { entityName, contents } of observations) {
        results.push({ entityName, addedObservations: await graph.addObservations(entityName, contents) });
      }
      return { text: safeJson(results), json: { results } };
    },
  );
  addMemoryTool(
    server,
    memory,
    {
      name: 'delete_entities',
      title: 'Delete entities',
      description: 'Deletes entities with their relations, for good.',
      does: 'deletes',
      input: { entityNames: NAMES },
      output: DONE_OUTPUT,
    },
    async ({ entityNames }) => {
      await graph.deleteEntities(entityNames);
      return done('Entities deleted successfully');
    },
  );
  addMemoryTool(
    server,
    memory,
    {
      name: 'delete_observations',
      title: 'Delete observations',
      description: 'Deletes observations of entities, for good.',
      does: 'deletes',
      input: { deletions: z.array(z.object({ entityName: z.string(), observations: z.array(z.string()) })).max(1_000) },
      output: DONE_OUTPUT,
    },
    async ({ deletions }) => {
      for (const { entityName, observations } of deletions) await graph.deleteObservations(entityName, observations);
      return done('Observations deleted successfully');
    },
  );
  addMemoryTool(
    server,
    memory,
    {
      name: 'delete_relations',
      title: 'Delete relations',
      description: 'Deletes relations, for good.',
      does: 'deletes',
      input: { relations: z.array(RELATION).max(1_000) },
      output: DONE_OUTPUT,
    },
    async ({ relations }) => {
      await graph.deleteRelations(relations);
      return done('Relations deleted successfully');
    },
  );
}

function readingTools(server: McpServer, memory: ServedMemory, graph: KnowledgeGraph): void {
  addMemoryTool(
    server,
    memory,
    {
      name: 'read_graph',
      title: 'Read the graph',
      description: 'Reads the knowledge graph, oldest entities first, as far as it fits. The note says if it does not.',
      does: 'reads',
      input: {},
      output: GRAPH_OUTPUT,
    },
    async () => shown(await fitGraph(graph, graph.entities())),
  );
  addMemoryTool(
    server,
    memory,
    {
      name: 'search_nodes',
      title: 'Search nodes',
      description: 'Finds entities whose name, type or observations match a query, with their relations, best first.',
      does: 'reads',
      input: { query: z.string().max(4_000).describe('Words, or a part of a word') },
      output: GRAPH_OUTPUT,
    },
    async ({ query }, { mcpReq: { signal } }) => shown(await fitGraph(graph, graph.search(query, signal))),
  );
  addMemoryTool(
    server,
    memory,
    {
      name: 'open_nodes',
      title: 'Open nodes',
      description: 'Returns entities by their names, with their relations.',
      does: 'reads',
      input: { names: NAMES },
      output: GRAPH_OUTPUT,
    },
    async ({ names }) => shown(await fitGraph(graph, await graph.open(names))),
  );
}

function done(message: string): Answer<typeof DONE_OUTPUT> {
  return { text: message, json: { success: true, message } };
}

function shown(graph: FittingGraph): Answer<typeof GRAPH_OUTPUT> {
  const { entities, relations, note } = graph;
  const json = { entities: [...entities], relations: [...relations], ...(note !== undefined && { note }) };
  return { text: safeJson(json), json };
}
