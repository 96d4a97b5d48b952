import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dirname, '../../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, jobs: (parse(text) as Workflow).jobs };
});
const jobsOf = ({ jobs }: Pick<Workflow, 'jobs'>) => Object.entries(jobs).map(([name, job]) => ({ name, ...job }));
const isDeployment = ({ uses }: Step) => uses?.startsWith('actions/deploy-pages@') === true;
const release = workflows.find(({ path }) => path.endsWith('release.yml')) as (typeof workflows)[number];

describe.each(workflows)('$path', ({ text, jobs }) => {
  it('pins actions to a commit hash with a version comment', () => {
    const parsed = jobsOf({ jobs }).flatMap(({ uses, steps = [] }) => [uses, ...steps.map((step) => step.uses)]);
    const used = parsed.filter((action) => action !== undefined);
    const written = [...text.matchAll(/^\s*-? *uses: (.*)$/gm)].map(([, action]) => action);

    expect(used).not.toEqual([]);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w./-]+@[0-9a-f]{40}$/);
    for (const action of written) expect(action).toMatch(/^\S+ # v\d+\.\d+\.\d+$/);
    expect(written).toHaveLength(used.length);
  });

  it('pins an action to one commit', () => {
    const pins = [...text.matchAll(/uses: ([\w-]+\/[\w-]+)\S*@(\S+ # \S+)/g)].map(([, action, pin]) => [action, pin]);

    expect(new Set(pins.map(String)).size).toBe(new Set(pins.map(([action]) => action)).size);
  });

  it('runs existing scripts', () => {
    const called = [...text.matchAll(/npm run (?:-\S+ )*([\w:-]+)/g)].map(([, script]) => script);

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(called));
  });

  it('grants no permission that a job does not request', () => {
    expect(text).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m);
  });
});

describe('the job that publishes', () => {
  const { publish } = release.jobs as { publish: Required<Job> };

  it('is the only one that npm trusts, needs approval, and may do nothing else', () => {
    const trusted = workflows.flatMap(jobsOf).filter(({ permissions }) => permissions?.['id-token'] !== undefined);

    // npm trusts one environment of one workflow. GitHub Pages needs a token, too.
    expect(trusted.filter(({ steps = [] }) => !steps.every(isDeployment)).map(({ name }) => name)).toEqual(['publish']);
    expect(publish.environment).toBe('npm');
    expect(publish.permissions).toEqual({ 'id-token': 'write' });
  });

  it('has no code of this repository and installs nothing', () => {
    const actions = publish.steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses.replace(/@.*/, '')]));
    const commands = publish.steps.map(({ run = '' }) => run).join('\n');

    expect(actions).toEqual(['actions/download-artifact', 'actions/setup-node']);
    expect([...commands.matchAll(/\b(npm|npx|node|git)\b \S+/g)].map(([command]) => command)).toEqual([
      'npm view',
      'npm publish',
    ]);
  });
});

it('no job that may write to the repository installs anything, except to update versions', () => {
  const writing = jobsOf(release).filter(({ permissions }) => permissions?.contents === 'write');
  const installing = writing.filter(({ steps = [] }) =>
    steps.some(({ run = '' }) => /\bnpm (ci|i|install)\b/.test(run)),
  );

  expect(installing.map(({ name }) => name)).toEqual(['version']);
});
