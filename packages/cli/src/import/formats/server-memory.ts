import { type Entity, entityRecord, type Relation, readEntity, relationRecord, relationText } from '@keepsake/internal';
import { digest } from '@keepsake/internal/node';
import { brokenInput } from '../broken-input.ts';
import type { FoundEntry } from '../found-entry.ts';
import type { Format, UnknownObject } from './format.ts';

/**
 * The `memory.jsonl` of the reference memory server of MCP, which `keepsake-mcp --compat server-memory` then serves. An entity
 * that is there gets the observations that it lacks.
 */
export const serverMemory: Format = {
  name: 'server-memory',
  matches: ({ type }) => type === 'entity' || type === 'relation',
  *read(value, place) {
    yield value.type === 'entity' ? foundEntity(value, place) : foundRelation(value, place);
  },
};

function foundEntity({ name, entityType, observations }: UnknownObject, place: string): FoundEntry {
  const isEntity = isText(name) && isText(entityType) && Array.isArray(observations) && observations.every(isText);
  if (!isEntity) {
    throw brokenInput(`${place} must be an entity { "name": "…", "entityType": "…", "observations": ["…"] }.`);
  }
  const entity = { name, entityType, observations } as Entity;
  return {
    place,
    record: entityRecord(entity),
    merge(existing) {
      const storedEntity = readEntity(existing);
      const missing = new Set(entity.observations.filter((one) => !storedEntity?.observations.includes(one)));
      if (storedEntity === undefined || missing.size === 0) return undefined;
      return entityRecord({ ...storedEntity, observations: [...storedEntity.observations, ...missing] });
    },
  };
}

function foundRelation({ from, to, relationType }: UnknownObject, place: string): FoundEntry {
  if (!isText(from) || !isText(to) || !isText(relationType)) {
    throw brokenInput(`${place} must be a relation { "from": "…", "to": "…", "relationType": "…" }.`);
  }
  const relation = { from, to, relationType } as Relation;
  return { place, record: relationRecord(relation, digest(relationText(relation), 64)) };
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
