import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { readsValuesOnce } from '@keepsake/testing';
import { MemorySpace, type MemorySpaceOptions } from '../src/index.ts';

const store = new InMemoryStore({ name: 'memories' });
const sessions = new InMemorySessionStore();
const bot = { id: 'bot', type: 'service' };
const options = {
  ...{ store, sessions, anonymous: 'noop', userNamespaces: ['people:{user_id}'] },
  agents: {
    helper: {
      ...{ name: 'helper', owner: 'ines', namespace: 'agent:{agent_name}', sharedNamespaces: ['docs'] },
      ...{ sharedWith: ['alice', bot], autoMemory: { turns: 1 }, preamble: 'start', childFallback: true },
      forgetShared: 'own',
    },
  },
  pools: { docs: { owner: 'ines', readers: ['alice', bot], writers: ['alice'] } },
  teams: {
    research: { name: 'research', owner: 'ines', namespace: 'team:{team_name}:{run_id}', members: ['alice', bot] },
  },
};
const context = {
  principal: { id: 'alice', type: 'user' },
  agent: 'helper',
  team: 'research',
  runId: 'r',
  sessionId: 's',
};
const space = new MemorySpace(options as MemorySpaceOptions);
const scope = space.as(context as never);
const input = { role: 'user', content: [{ text: 'Hi' }] };

/** What principals can reach in a space with these options. */
function reachOf(given: MemorySpaceOptions) {
  const opened = new MemorySpace(given);
  return [{ id: 'alice' }, { id: 'ines' }, bot, undefined].map((principal) => {
    try {
      return shown(opened.as({ ...context, principal } as never));
    } catch (error) {
      return String(error);
    }
  });
}

function shown({ namespace, actorId, pools, principal, ...scope }: ReturnType<MemorySpace['as']>) {
  return { namespace, actorId, pools, principal, memory: scope.memory.namespace };
}

/** A turn in a new conversation. */
async function turnWith(given: never) {
  const answer = await scope.turn(given, async (messages) => JSON.stringify(messages));
  await scope.session('a').clearSession();
  return answer;
}

readsValuesOnce([
  ['new MemorySpace', reachOf, options],
  ['as', (given) => shown(space.as(given)), context],
  ['run', (given) => space.run(given, () => shown(space.current())), context],
  ['inspect', (given) => space.inspect(given), { agent: 'helper', principal: { id: 'alice', type: 'user' } }],
  ['eraseUser', async (given) => (await space.eraseUser('alice', given)).dryRun, { dryRun: true, sharedEntries: true }],
  [
    'a principal',
    async (who) => (await space.eraseUser(who, { dryRun: true })).principal,
    { id: 'bob', type: 'service' },
  ],
  ['preamble', (given) => scope.preamble(given), { question: 'tea', maxTokens: 5 }],
  ['source().search', (given) => scope.source().search('tea', given), { maxSearchResults: 1 }],
  ['turn', turnWith, { sessionId: 'a', input }],
]);
