/**
 * Three agents and two users in one program, each with different access:
 *
 * npm start -w examples/team
 */
import { isMemoryError, type JsonObject } from '@keepsake/core';
import { space } from './space.ts';

/** Calls a tool of an agent for a user, as its model would, and prints the result. */
async function call(user: string, agent: string, tool: string, input: JsonObject): Promise<void> {
  const said = `${user} asks ${agent}: ${tool}(${Object.values(input).join(', ')})`;
  try {
    const scope = space.as({ principal: { id: user }, agent, team: 'research-team' });
    const found = scope.tools().find(({ name }) => name === tool);
    console.log(`${said} → ${found === undefined ? 'no such tool' : await found.execute(input)}`);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    console.log(`${said} → refused: ${error.message}`);
  }
}

console.log('-- Private: one user and one agent');
await call('alice', 'researcher', 'remember', { key: 'favorite color', content: 'Teal' });
await call('alice', 'researcher', 'recall', { key: 'favorite color' });
await call('alice', 'writer', 'recall', { key: 'favorite color' });
await call('bob', 'researcher', 'recall', { key: 'favorite color' });
await call('bob', 'researcher', 'list_memories', { namespace: 'agent:researcher:u:alice' });

console.log('-- Team: all its members and agents');
await call('alice', 'researcher', 'share_finding', { key: 'budget', content: 'The budget is 40,000' });
await call('bob', 'writer', 'read_shared', { key: 'budget' });
await call('carol', 'writer', 'read_shared', { key: 'budget' });

console.log('-- Pools: everyone on their access lists');
await call('alice', 'researcher', 'share_to', { pool: 'org:engineering-docs', key: 'api', content: 'OpenAPI 3.1' });
await call('bob', 'writer', 'read_from_pool', { pool: 'org:engineering-docs', key: 'api' });
await call('bob', 'writer', 'share_to', { pool: 'org:engineering-docs', key: 'api', content: 'None' });
await call('bob', 'researcher', 'share_to', { pool: 'project:researcher-shared', key: 'tip', content: 'Ask Ines' });
await call('alice', 'researcher', 'search_pool', { pool: 'project:researcher-shared', query: 'whom to ask' });
await call('alice', 'writer', 'list_pool', { pool: 'project:researcher-shared' });
await call('bob', 'reviewer', 'list_memories', {});

console.log('-- Memories of each agent');
for (const agent of ['researcher', 'writer', 'reviewer']) {
  for (const { name, kind, recordCount } of await space.inspect({ agent })) {
    console.log(`${agent}: ${name} (${kind}, ${recordCount})`);
  }
}

const { memories, sharedEntries } = await space.eraseUser({ id: 'alice' }, { sharedEntries: true });
console.log(`-- Alice leaves: ${memories} memory and ${sharedEntries} shared entries are erased`);
await call('bob', 'writer', 'read_shared', { key: 'budget' });
await call('bob', 'researcher', 'list_pool', { pool: 'project:researcher-shared' });
