import { isMemoryError } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';
import { MemorySpace } from '../../src/index.ts';
import { Template } from '../../src/space/template.ts';

const TEMPLATES: readonly string[] = ['agent:{agent_name}:run-{run_id}', 'org:team-a_{session_id}_b', '{user_id}:x%3A'];
const KNOWN = ['agent_name', 'agent_owner', 'session_id', 'user_id', 'team_name', 'run_id'] as const;

export const templates = fuzzTarget({
  input: (random) => ({
    template: mutateText(random, random.pick(TEMPLATES), TEMPLATES),
    value: mutateText(random, 'alice'),
  }),
  run({ template, value }) {
    const parsed = Template.parse(template, '`namespace`', KNOWN);
    const values = Object.fromEntries(KNOWN.map((name) => [name, value]));
    parsed.leadsTo(parsed.resolve(values));
    parsed.without('session_id').resolve(values);
  },
});

const SPACE = {
  agents: { bot: { sharedNamespaces: ['docs'], namespace: 'agent:{agent_name}', owner: 'ines', sharedWith: ['*'] } },
  pools: { docs: { readers: ['*'], writers: ['alice'], owner: 'ines' } },
  teams: { crew: { members: ['alice', 'bob'] } },
  userData: {},
};
const CONTEXT = { principal: { id: 'alice', groups: ['g'] }, agent: 'bot', team: 'crew', sessionId: 's', runId: 'r' };

export const configurations = fuzzTarget({
  input: (random) => ({
    options: random.chance(0.5) ? mutateJson(random, SPACE) : SPACE,
    context: mutateJson(random, CONTEXT),
  }),
  run: ({ options, context }) =>
    new MemorySpace({ store: new InMemoryStore({ name: 'memory' }), ...(options as object) } as never).as(
      context as never,
    ),
});

const INPUTS: readonly unknown[] = [
  { key: 'diet', content: 'Likes rye bread.', source: 'user', pool: 'docs', namespace: 'docs' },
  { query: 'bread', limit: 3, pool: 'docs', namespace: 'docs', id: 'one', cursor: 'x' },
];

export const toolInputs = fuzzTarget({
  inputs: 300,
  input: (random) => mutateJson(random, random.pick(INPUTS), INPUTS) as never,
  async run(input) {
    const space = new MemorySpace({ store: new InMemoryStore({ name: 'memory' }), ...SPACE } as never);
    const scope = space.as({ principal: { id: 'alice' }, agent: 'bot', team: 'crew' });
    for (const tool of scope.tools()) {
      await tool.execute(input).catch((error) => {
        if (!isMemoryError(error)) throw error;
      });
    }
  },
});
