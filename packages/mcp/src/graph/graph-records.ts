import type { RecordInput } from '@keepsake/core';
import { type Relation, relationRecord as recordOf, relationText, sha256 } from '@keepsake/internal';
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

export async function relationRecord(relation: Relation): Promise<RecordInput> {
  return recordOf(relation, await sha256(relationText(relation)));
}
