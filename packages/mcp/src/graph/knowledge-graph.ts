import { isMemoryError, MemoryError, type MemoryRecord, type RecordInput, type RecordStore } from '@keepsake/core';
import {
  allItems,
  allPages,
  ENTITIES,
  ENTITY_IDS,
  type Entity,
  entityId,
  entityRecord,
  pause,
  quoted,
  RELATION_IDS,
  RELATIONS,
  type Relation,
  readEntity,
  readRelation,
} from '@keepsake/internal';
import { relationRecord } from './graph-records.ts';

/** How often a change is tried again because other writers were faster, and the longest pause before each. */
const MAX_ATTEMPTS = 100;
const MAX_PAUSE_MS = 25;
/** How many entities a search reads for parts of words, and how many a search by words returns. */
const MAX_READ = 10_000;
const MAX_FOUND = 100;
/** How many names a filter has at most. */
const NAMES_AT_A_TIME = 100;

/**
 * A graph of entities and relations in a store. Each write compares and sets one record, so that no writer undoes what another
 * acknowledged.
 */
export class KnowledgeGraph {
  readonly #store: RecordStore;

  constructor(store: RecordStore) {
    this.#store = store;
  }

  /** Creates the entities whose names are new, and returns those. */
  async createEntities(entities: readonly Entity[]): Promise<Entity[]> {
    return this.#createNew(entities, entityRecord);
  }

  /** Creates the relations that are new, and returns those. */
  async createRelations(relations: readonly Relation[]): Promise<Relation[]> {
    return this.#createNew(relations, relationRecord);
  }

  /**
   * Adds the observations that an entity does not have, and returns those.
   *
   * @throws MemoryError `INVALID_ARGUMENT` if there is no entity of that name.
   */
  async addObservations(name: string, contents: readonly string[]): Promise<string[]> {
    let added: string[] = [];
    const isFound = await this.#change(name, (observations) => {
      added = [...new Set(contents)].filter((one) => !observations.includes(one));
      return [...observations, ...added];
    });
    if (!isFound) throw noEntity(name);
    return added;
  }

  /** Throws unless all names are of entities. */
  async expectEntities(names: readonly string[]): Promise<void> {
    for (const name of new Set(names)) if ((await this.#get(name)) === undefined) throw noEntity(name);
  }

  /** Deletes entities with their relations. Unknown names change nothing. */
  async deleteEntities(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#store.delete(entityId(name));
    for (const { id } of await this.#relationRecords(names)) await this.#store.delete(id);
  }

  /** Removes observations of an entity. Unknown ones change nothing. */
  async deleteObservations(name: string, removed: readonly string[]): Promise<void> {
    await this.#change(name, (observations) => observations.filter((one) => !removed.includes(one)));
  }

  async deleteRelations(relations: readonly Relation[]): Promise<void> {
    for (const relation of relations) {
      const { id } = await relationRecord(relation);
      await this.#store.delete(id as string);
    }
  }

  /** The entities, in the order of their creation. */
  async *entities(): AsyncGenerator<Entity> {
    for await (const page of this.#pages()) yield* page;
  }

  /** The entities with these names. */
  async open(names: readonly string[]): Promise<Entity[]> {
    const records = await Promise.all([...new Set(names)].map((name) => this.#get(name)));
    return records.flatMap((record) => entityOf(record));
  }

  /**
   * The entities that match by words, best first, then those that contain the query in any letter case. All entities are read
   * for the latter, but only if the caller takes more than the former.
   */
  async *search(query: string, signal: AbortSignal): AsyncGenerator<Entity> {
    const ranked = await this.#store.search(query, { filter: ENTITIES, maxSearchResults: MAX_FOUND, signal });
    const names = new Set<string>();
    for (const { content, metadata = {} } of ranked) {
      const entity = readEntity({ content, metadata });
      if (entity === undefined) continue;
      names.add(entity.name);
      yield entity;
    }
    const part = query.toLowerCase();
    let read = 0;
    for await (const page of this.#pages()) {
      signal.throwIfAborted();
      for (const entity of page) if (!names.has(entity.name) && contains(entity, part)) yield entity;
      read += page.length;
      if (read >= MAX_READ) break;
    }
  }

  /** The relations from or to entities. */
  async relationsOf(names: readonly string[]): Promise<Relation[]> {
    const records = await this.#relationRecords(names);
    return records.map(readRelation).filter((relation) => relation !== undefined);
  }

  async #relationRecords(names: readonly string[]): Promise<MemoryRecord[]> {
    const records = new Map<string, MemoryRecord>();
    for (let start = 0; start < names.length; start += NAMES_AT_A_TIME) {
      const some = { in: names.slice(start, start + NAMES_AT_A_TIME) };
      for (const filter of [
        { ...RELATIONS, from: some },
        { ...RELATIONS, to: some },
      ]) {
        const listing = { order: 'oldest', idPrefix: RELATION_IDS, filter } as const;
        const list = allItems((page) => this.#store.list({ ...page, ...listing }));
        for await (const record of list) records.set(record.id, record);
      }
    }
    return [...records.values()];
  }

  /** The entities page by page, because an asynchronous step for each of them slows a search down. */
  async *#pages(): AsyncGenerator<Entity[]> {
    const listing = { order: 'oldest', idPrefix: ENTITY_IDS, filter: ENTITIES } as const;
    for await (const page of allPages((request) => this.#store.list({ ...request, ...listing }))) {
      yield page.flatMap(entityOf);
    }
  }

  async #createNew<One>(
    all: readonly One[],
    recordOf: (one: One) => RecordInput | Promise<RecordInput>,
  ): Promise<One[]> {
    // First all, so that an invalid one is refused before any is created.
    const records = await Promise.all(all.map(recordOf));
    const created: One[] = [];
    for (const [index, record] of records.entries()) {
      try {
        await this.#store.put(record, { ifVersion: 0 });
        created.push(all[index] as One);
      } catch (error) {
        if (!isMemoryError(error, 'CONFLICT')) throw error;
      }
    }
    return created;
  }

  async #get(name: string): Promise<MemoryRecord | undefined> {
    return this.#store.get(entityId(name));
  }

  /** Changes the observations of an entity, and returns whether there is one. */
  async #change(name: string, change: (observations: readonly string[]) => readonly string[]): Promise<boolean> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const record = await this.#get(name);
      const [entity] = entityOf(record);
      if (record === undefined || entity === undefined) return false;
      const observations = change(entity.observations);
      if (observations.length === entity.observations.length) return true;
      try {
        await this.#store.put(entityRecord({ ...entity, observations: [...observations] }), {
          ifVersion: record.version,
        });
        return true;
      } catch (error) {
        if (!isMemoryError(error, 'CONFLICT')) throw error;
        await pause(Math.random() * MAX_PAUSE_MS, undefined);
      }
    }
    throw new MemoryError(
      'CONFLICT',
      `This entity keeps changing; gave up after ${MAX_ATTEMPTS} attempts. Call again.`,
    );
  }
}

function contains({ name, entityType, observations }: Entity, part: string): boolean {
  return [name, entityType, ...observations].some((text) => text.toLowerCase().includes(part));
}

function entityOf(record: MemoryRecord | undefined): Entity[] {
  const entity = record && readEntity(record);
  return entity === undefined ? [] : [entity];
}

function noEntity(name: string): MemoryError {
  const advice = 'Call create_entities first, or search_nodes for its name.';
  return new MemoryError('INVALID_ARGUMENT', `There is no entity ${quoted(name)}. ${advice}`);
}
