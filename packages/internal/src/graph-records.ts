import { parseJson } from './parse-json.ts';

/*
 * How a store holds the knowledge graph of the reference memory server of MCP. An entity is a record: a line with its name
 * and type, then a line for each observation. So search finds it by all of them, and other tools show it as a text. A
 * relation is a record too, which search leaves out.
 */

export interface Entity {
  name: string;
  entityType: string;
  observations: string[];
}

export interface Relation {
  from: string;
  to: string;
  relationType: string;
}

/** The metadata field that tells records of the graph from other memories, and its values. */
const GRAPH = 'graph';
export const ENTITIES = { [GRAPH]: 'entity' };
export const RELATIONS = { [GRAPH]: 'relation' };

/** How the ids of all entities and of all relations begin, so that a list of one passes over the other unread. */
export const ENTITY_IDS = 'graph-entity:';
export const RELATION_IDS = 'graph-relation:';

/** The id of the record of an entity. */
export function entityId(name: string): string {
  return `${ENTITY_IDS}${name}`;
}

export function entityRecord({ name, entityType, observations }: Entity) {
  const content = [`${name} (${entityType})`, ...observations.map(writeLine)].join('\n');
  return { id: entityId(name), content, metadata: { ...ENTITIES, name, entityType } };
}

/** A record, as far as the graph reads it. */
interface GraphRecord {
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The entity of a record, or `undefined` if it is another memory. */
export function readEntity({ content, metadata }: GraphRecord): Entity | undefined {
  const { name, entityType } = metadata;
  if (metadata[GRAPH] !== ENTITIES[GRAPH] || typeof name !== 'string' || typeof entityType !== 'string')
    return undefined;
  const lines = content.slice(`${name} (${entityType})`.length).split('\n').slice(1);
  return { name, entityType, observations: lines.map(readLine) };
}

/** What the hash of a relation is computed from. */
export function relationText({ from, to, relationType }: Relation): string {
  return JSON.stringify([from, to, relationType]);
}

/** @param hash - The SHA-256 of the relation's text, as 64 hex digits. */
export function relationRecord({ from, to, relationType }: Relation, hash: string) {
  return {
    id: `${RELATION_IDS}${hash}`,
    content: `${from} ${relationType} ${to}`,
    metadata: { ...RELATIONS, from, to, relationType },
    index: false,
  };
}

export function readRelation({ metadata }: Pick<GraphRecord, 'metadata'>): Relation | undefined {
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
