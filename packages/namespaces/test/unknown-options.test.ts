import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { MemorySpace } from '../src/index.ts';

const store = new InMemoryStore({ name: 'memories' });
const agents = { helper: { autoMemory: { turns: 1 } } };
const space = new MemorySpace({ store, sessions: new InMemorySessionStore(), agents });
const scope = space.as({ agent: 'helper', principal: { id: 'alice' } });
const open = (options: object) => new MemorySpace({ store, agents, ...options });
const context = { agent: 'helper', principal: { id: 'alice' } };
const principal = { id: 'alice', typ: 'service' };

refusesUnknownOptions([
  ['new MemorySpace', (options) => new MemorySpace(options), { store, agents, anonymus: 'noop' }, 'anonymous'],
  ['an agent', (agent) => open({ agents: { helper: agent } }), { nameSpace: 'agent:{agent_name}' }, 'namespace'],
  ['autoMemory', (autoMemory) => open({ agents: { helper: { autoMemory } } }), { turns: 1, turn: 2 }, 'turns'],
  ['a pool', (pool) => open({ pools: { docs: pool } }), { readers: ['*'], writer: ['bob'] }, 'writers'],
  ['a team', (team) => open({ teams: { research: team } }), { members: ['alice'], nameSpace: 'x' }, 'namespace'],
  ['as', (options) => space.as(options), { ...context, sessionID: 'a' }, 'sessionId'],
  ['run', (options) => space.run(options, () => {}), { ...context, runID: 'a' }, 'runId'],
  ['a principal', (who) => space.as({ agent: 'helper', principal: who }), principal, 'type'],
  ['inspect', (options) => space.inspect(options), { agent: 'helper', agents: [] }, 'agent'],
  ['eraseUser', (options) => space.eraseUser({ id: 'alice' }, options), { dryrun: true }, 'dryRun'],
  ['preamble', (options) => scope.preamble(options), { maxToken: 5 }, 'maxTokens'],
  ['source().search', (options) => scope.source().search('tea', options), { maxSearchResult: 1 }, 'maxSearchResults'],
  ['turn', (options) => scope.turn(options, async () => 'Hi'), { sessionId: 'a', input: 'Hi', inputs: [] }, 'input'],
  ['sessions.list', (options) => scope.sessions.list(options), { limits: 1 }, 'limit'],
  ['memory.search', (options) => scope.memory.search('tea', options), { maxSearchResult: 1 }, 'maxSearchResults'],
  ['memory.within', (options) => scope.memory.within(['a'], options), { writeable: false }, 'writable'],
]);
