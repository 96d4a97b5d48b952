import { MemoryError } from '@keepsake/core';
import { AbstractRecordStore } from '@keepsake/core/adapter';
import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import { useDirectory } from '@keepsake/testing';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { atNightOver, type ConnectOptions, call, connectHttp, connectStdio, ERAS, textOf } from './support/connect.ts';
import { serve } from './support/serve.ts';

const directory = useDirectory();
const compat = 'server-memory';
const stdioArgs = () => ['--directory', directory.path, '--compat', compat];

const transports = {
  stdio: (options: ConnectOptions) => connectStdio(stdioArgs(), options),
  HTTP: async (options: ConnectOptions) =>
    connectHttp(await serve(new InMemoryStore({ name: 'memory' }), { compat }), 'token-alice', options),
};
const ALICE = { name: 'Alice', entityType: 'person', observations: ['plays the cello', 'two\nlines', '"quoted"'] };
const BAND = { name: 'Quartet', entityType: 'band', observations: [] };
const PLAYS = { from: 'Alice', to: 'Quartet', relationType: 'plays in' };

describe.each(Object.entries(transports))('over %s', (transport, open) => {
  it.each(ERAS)(
    'the nine tools do what those of the reference server do, in protocol %s',
    atNightOver(transport),
    async (era) => {
      const client = await open({ era });
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
        'create_entities',
        'create_relations',
        'add_observations',
        'delete_entities',
        'delete_observations',
        'delete_relations',
        'read_graph',
        'search_nodes',
        'open_nodes',
      ]);
      expect(await call(client, 'create_entities', { entities: [ALICE, BAND] })).toEqual({ entities: [ALICE, BAND] });
      expect(await call(client, 'create_entities', { entities: [ALICE] })).toEqual({ entities: [] });
      expect(await call(client, 'create_relations', { relations: [PLAYS, PLAYS] })).toEqual({ relations: [PLAYS] });
      expect(await call(client, 'read_graph')).toEqual({ entities: [ALICE, BAND], relations: [PLAYS] });
      const observations = [{ entityName: 'Quartet', contents: ['meets on Mondays', 'meets on Mondays'] }];
      expect(await call(client, 'add_observations', { observations })).toEqual({
        results: [{ entityName: 'Quartet', addedObservations: ['meets on Mondays'] }],
      });

      const quartet = { ...BAND, observations: ['meets on Mondays'] };
      expect(await call(client, 'search_nodes', { query: 'monday' })).toEqual({
        entities: [quartet],
        relations: [PLAYS],
      });
      expect(await call(client, 'search_nodes', { query: 'LIC' })).toMatchObject({ entities: [ALICE] });
      expect(await call(client, 'open_nodes', { names: ['Alice', 'Bob'] })).toEqual({
        entities: [ALICE],
        relations: [PLAYS],
      });

      const deletions = [{ entityName: 'Alice', observations: ['two\nlines'] }];
      expect(await call(client, 'delete_observations', { deletions })).toMatchObject({ success: true });
      const { entities } = await call(client, 'open_nodes', { names: ['Alice'] });
      expect(entities).toEqual([{ ...ALICE, observations: ['plays the cello', '"quoted"'] }]);
      await call(client, 'delete_relations', { relations: [PLAYS] });
      expect(await call(client, 'open_nodes', { names: ['Alice'] })).toMatchObject({ relations: [] });
      await call(client, 'create_relations', { relations: [PLAYS] });
      await call(client, 'delete_entities', { entityNames: ['Alice', 'unknown'] });
      expect(await call(client, 'read_graph')).toEqual({ entities: [quartet], relations: [] });
    },
  );
});

it('2 servers that add to the same entity keep each of 10 observations', async () => {
  const open = async () => {
    const files = new FileStore({ directory: directory.path, name: 'memory', durability: 'os' });
    return connectHttp(await serve(files, { compat }), 'token-alice');
  };
  await keepObservations([await open(), await open()], 10);
});

it('4 processes that add to the same entity keep each of 50 observations', { tags: ['nightly'] }, async () => {
  const open = () => connectStdio(stdioArgs(), { era: '2025-11-25' });
  await keepObservations(await Promise.all(Array.from({ length: 4 }, open)), 50);
});

async function keepObservations(clients: readonly Client[], count: number): Promise<void> {
  const [first, second] = clients as readonly [Client, Client];
  await call(first, 'create_entities', { entities: [BAND] });
  await Promise.all(
    clients.map(async (client, me) => {
      for (let at = 0; at < count; at++) {
        const observations = [{ entityName: 'Quartet', contents: [`${me} heard song ${at}`] }];
        await call(client, 'add_observations', { observations });
      }
    }),
  );
  const [entity] = (await call(second, 'open_nodes', { names: ['Quartet'] })).entities;
  expect(new Set(entity.observations).size).toBe(clients.length * count);
}

it('an unknown entity is refused with advice, and nothing is added', async () => {
  const client = await transports.HTTP({});
  await call(client, 'create_entities', { entities: [BAND] });
  const observations = ['Quartet', 'Bob'].map((entityName) => ({ entityName, contents: ['is new'] }));
  const result = await client.callTool({ name: 'add_observations', arguments: { observations } });
  expect(textOf(result)).toMatch(/There is no entity "Bob"\. Call create_entities first/);
  expect(await call(client, 'read_graph')).toMatchObject({ entities: [BAND] });
});

it('a change that fails is an error for the client', async () => {
  const client = await transports.HTTP({});
  await call(client, 'create_entities', { entities: [ALICE, BAND] });
  await call(client, 'create_relations', { relations: [PLAYS] });
  const failure = new MemoryError('BACKEND', 'The disk is full.');
  vi.spyOn(AbstractRecordStore.prototype, 'put').mockRejectedValue(failure);
  vi.spyOn(AbstractRecordStore.prototype, 'delete').mockRejectedValue(failure);
  onTestFinished(() => void vi.restoreAllMocks());
  const changes = {
    create_entities: { entities: [{ ...BAND, name: 'Trio' }] },
    create_relations: { relations: [{ ...PLAYS, relationType: 'founded' }] },
    add_observations: { observations: [{ entityName: 'Alice', contents: ['is new'] }] },
    delete_observations: { deletions: [{ entityName: 'Alice', observations: ALICE.observations }] },
    delete_relations: { relations: [PLAYS] },
    delete_entities: { entityNames: ['Alice'] },
  };
  for (const [name, args] of Object.entries(changes)) {
    const result = await client.callTool({ name, arguments: args });
    expect([name, result.isError, textOf(result)]).toEqual([name, true, expect.stringContaining('The disk is full.')]);
  }
});

it('read_graph is bounded, with a note, and its text parses to the same graph', async () => {
  const client = await transports.HTTP({});
  const facts = Array.from({ length: 30 }, (_, at) => `${at} The harbour of Lisbon opens at six.</memory>\u202e`);
  const entities = Array.from({ length: 100 }, (_, at) => ({
    name: `Harbour ${at}`,
    entityType: 'place',
    observations: facts,
  }));
  await call(client, 'create_entities', { entities });
  const result = await client.callTool({ name: 'read_graph' });
  const text = textOf(result);
  expect(text.length / 3).toBeLessThan(8_000);
  expect(text).not.toMatch(/[<>\u202e]/);
  expect(JSON.parse(text)).toEqual(result.structuredContent);
  expect(result.structuredContent).toMatchObject({ note: expect.stringMatching(/Only a part.*search_nodes/) });
});

it('read-only mode offers the three tools that read', async () => {
  const all = new InMemoryStore({ name: 'memory' });
  const client = await connectHttp(await serve(all, { compat, readOnly: true }), 'token-alice');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['read_graph', 'search_nodes', 'open_nodes']);
});

it('search of other programs finds entities as texts, and no relations', async () => {
  const all = new InMemoryStore({ name: 'memory' });
  const client = await connectHttp(await serve(all, { compat }), 'token-alice');
  await call(client, 'create_entities', { entities: [ALICE] });
  await call(client, 'create_relations', { relations: [PLAYS] });
  const found = await all.within(['u', 'alice']).search('Who plays the cello in the quartet?');
  expect(found).toMatchObject([{ content: 'Alice (person)\nplays the cello\n"two\\nlines"\n"\\"quoted\\""' }]);
});
