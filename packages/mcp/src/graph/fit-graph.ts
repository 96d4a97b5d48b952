import { type Entity, estimateTokens, type Relation } from '@keepsake/internal';
import { TOKENS } from '../text/token-limits.ts';
import type { KnowledgeGraph } from './knowledge-graph.ts';

/** A graph within the limit of tokens. */
export interface FittingGraph {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
  /** What it leaves out. */
  readonly note?: string;
}

/** The share of the tokens that entities may take, so that there is room for relations. */
const FOR_ENTITIES = 0.75;
/** A guess that is on the safe side: the indentation of the JSON text. */
const INDENTED = 1.3;

/** The first entities that fit, and the first of their relations that fit. */
export async function fitGraph(
  graph: KnowledgeGraph,
  entities: AsyncIterable<Entity> | Iterable<Entity>,
): Promise<FittingGraph> {
  const shown: Entity[] = [];
  let left = TOKENS.most * FOR_ENTITIES;
  let isWhole = true;
  for await (const entity of entities) {
    const fitting = fitEntity(entity, left);
    if (fitting === undefined) {
      isWhole = false;
      break;
    }
    if (fitting !== entity) isWhole = false;
    shown.push(fitting);
    left -= tokensOf(fitting);
  }
  left += TOKENS.most * (1 - FOR_ENTITIES);
  const relations: Relation[] = [];
  for (const relation of await graph.relationsOf(shown.map(({ name }) => name))) {
    left -= tokensOf(relation);
    if (left < 0) {
      isWhole = false;
      break;
    }
    relations.push(relation);
  }
  const all = { entities: shown, relations };
  return isWhole ? all : { ...all, note: `Only a part of the graph fits into ${TOKENS.most} tokens. ${ADVICE}` };
}

const ADVICE = 'Call search_nodes or open_nodes for the rest.';

/** An entity with the observations that fit. */
function fitEntity(entity: Entity, maxTokens: number): Entity | undefined {
  if (tokensOf(entity) <= maxTokens) return entity;
  const fitting: Entity = { ...entity, observations: [] };
  let left = maxTokens - tokensOf(fitting);
  if (left < 0) return undefined;
  for (const observation of entity.observations) {
    left -= tokensOf(observation);
    if (left < 0) break;
    fitting.observations.push(observation);
  }
  return fitting;
}

function tokensOf(json: unknown): number {
  return Math.ceil((estimateTokens(JSON.stringify(json)) + 1) * INDENTED);
}
