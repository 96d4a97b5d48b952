import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describeLeftOut, LEFT_OUT, leftOutOf, ON_OTHER_NODE } from '@keepsake/testing/on-other-node';
import { describe, expect, it, vi } from 'vitest';

const root = join(import.meta.dirname, '../../..');

describe('what is left out on other Nodes', () => {
  it.each(Object.entries(LEFT_OUT))('exists: %s', (project, { files = [], tests = [] }) => {
    expect([...files, ...tests]).not.toEqual([]);
    for (const glob of files) expect(globSync(glob, { cwd: join(root, project) })).not.toEqual([]);
  });

  it('runs on the Node of the project', () => {
    vi.stubEnv(ON_OTHER_NODE, undefined);
    for (const project of Object.keys(LEFT_OUT)) expect(leftOutOf(project)).toEqual({ exclude: [] });
    vi.unstubAllEnvs();
  });

  it('is excluded by file or by the beginning of the full name of a test', () => {
    vi.stubEnv(ON_OTHER_NODE, '1');
    expect(leftOutOf('packages/redis').exclude).toEqual(['test/*-cluster.test.ts']);
    expect(leftOutOf('packages/sqlite')).toEqual({ exclude: [] });
    const { testNamePattern } = leftOutOf('packages/langgraph');
    expect('prisma > KeepsakeSaver on prisma > put').not.toMatch(testNamePattern as RegExp);
    expect('sqlite > KeepsakeSaver on sqlite > put, as redis > KeepsakeSaver does').toMatch(testNamePattern as RegExp);
    vi.unstubAllEnvs();
  });

  it('is printed, with the reason', () => {
    expect(describeLeftOut()).toHaveLength(Object.keys(LEFT_OUT).length);
    expect(describeLeftOut()).toContainEqual(
      expect.stringMatching(/^ {2}packages\/redis: test\/\*-cluster\.test\.ts \(.+\)$/),
    );
  });
});
