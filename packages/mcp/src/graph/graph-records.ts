import type { MemoryRecord, RecordInput } from '@keepsake/core';
import { sha256 } from '@keepsake/core/adapter';
import { parseJson } from '@keepsake/internal';
import { z } from 'zod';

export const ENTITY = z.object({
  name: z.string().describe('The name of the entity'),
  entityType: z.string().describe('The type of the entity'),
  observations: z.array(z.string()).describe('What is known about it, one fact each'),
});

export const RELATION = z.object({
  from: z.string().describe('The name of the entity where the relation starts'),
  to: z.string().describe('The name of the entity where the relation ends'),
  relationType: z.string().describe('The type of the relation, in active voice'),
});

export type Entity = z.infer<typeof ENTITY>;
export type Relation = z.infer<typeof RELATION>;

/** The metadata field that tells records of the graph from other memories, and its values. */
const GRAPH = 'graph';
export const ENTITIES = { [GRAPH]: 'entity' };
export const RELATIONS = { [GRAPH]: 'relation' };

/*
 * An entity is a record: a line with its name and type, then a line for each observation. So search finds it by all of them,
 * and other tools show it as a text. A relation is a record too, which search leaves out.
 */

/** The id of the record of an entity. */
export function entityId(name: string): string {
  return `graph-entity:${name}`;
}

export function entityRecord({ name, entityType, observations }: Entity): RecordInput {
  const content = [`${name} (${entityType})`, ...observations.map(writeLine)].join('\n');
  return { id: entityId(name), content, metadata: { ...ENTITIES, name, entityType } };
}

/** The entity of a record, or `undefined` if it is another memory. */
export function readEntity({ content, metadata }: Pick<MemoryRecord, 'content' | 'metadata'>): Entity | undefined {
  const { name, entityType } = metadata;
  if (metadata[GRAPH] !== ENTITIES[GRAPH] || typeof name !== 'string' || typeof entityType !== 'string')
    return undefined;
  const lines = content.slice(`${name} (${entityType})`.length).split('\n').slice(1);
  return { name, entityType, observations: lines.map(readLine) };
}

export async function relationRecord({ from, to, relationType }: Relation): Promise<RecordInput> {
  return {
    id: `graph-relation:${await sha256(JSON.stringify([from, to, relationType]))}`,
    content: `${from} ${relationType} ${to}`,
    metadata: { ...RELATIONS, from, to, relationType },
    index: false,
  };
}

export function readRelation({ metadata }: MemoryRecord): Relation | undefined {
  const { from, to, relationType } = metadata;
  const texts = [from, to, relationType];
  if (metadata[GRAPH] !== RELATIONS[GRAPH] || !texts.every((text) => typeof text === 'string')) return undefined;
  return { from, to, relationType } as Relation;
}

/** One line for any text: one that has line breaks, or looks like such a line, is written as JSON. */
function writeLine(text: string): string {
  return /[\n\r]|^"/.test(text) ? JSON.stringify(text) : text;
}

function readLine(line: string): string {
  const value = line.startsWith('"') ? parseJson(line) : line;
  return typeof value === 'string' ? value : line;
}
