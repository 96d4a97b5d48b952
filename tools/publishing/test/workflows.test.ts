import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

describe.each(workflows)('$path', ({ text }) => {
  it('pins actions to a commit hash with a version comment', () => {
    const actions = [...text.matchAll(/^\s*-? *uses: (.*)$/gm)].map(([, action]) => action);

    expect(actions).not.toEqual([]);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('runs existing scripts', () => {
    const called = [...text.matchAll(/npm run (?:-\S+ )*([\w:-]+)/g)].map(([, script]) => script);

    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(called));
  });

  it('grants no permission that a job does not request', () => {
    expect(text).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m);
  });
});
