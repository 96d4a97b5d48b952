import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { run } from '@keepsake/testing/run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commit } from '../src/copy-repository.ts';
import { packRelease } from '../src/pack-release.ts';
import { startRegistry } from '../src/registry.ts';

const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-pack-release-'));
const root = join(scratch, 'repository');
const packed = join(scratch, 'release');
const read = (path: string) => readFileSync(join(packed, path), 'utf8');

function write(files: Record<string, string | object>, directory = root): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const manifest = (name: string, version: string, more: object = {}) => ({
  ...{ name, version, type: 'module', license: 'MIT', files: ['dist'], publishConfig: { access: 'public' } },
  ...more,
});

beforeAll(async () => {
  write({
    'package.json': { name: 'root', private: true, workspaces: ['packages/*'] },
    'package-lock.json': { name: 'root', lockfileVersion: 3, packages: {} },
    '.changeset/config.json': { access: 'public', baseBranch: 'main' },
    'packages/base/package.json': manifest('@keepsake/base', '1.2.0'),
    'packages/base/CHANGELOG.md': '# @keepsake/base\n\n## 1.2.0\n\n- Faster.\n\n## 1.1.0\n\n- Older.\n',
    'packages/base/dist/index.js': '/*!\n * From snowball-stemmers, https://example.org\n */\nexport {};\n',
    'packages/user/package.json': manifest('@keepsake/user', '2.0.0-next.1', {
      dependencies: { '@keepsake/base': '^1.2.0' },
      devDependencies: { 'left-out': '^1.0.0' },
    }),
    'packages/user/dist/index.js': 'export {};\n',
    'packages/old/package.json': manifest('@keepsake/old', '1.0.0'),
    'packages/old/dist/index.js': 'export {};\n',
  });
  await run('git', ['init', '--quiet', '--initial-branch=main'], { cwd: root });
  await commit(root);
  const registry = await startRegistry();
  try {
    registry.add([{ name: '@keepsake/old', directory: '', manifest: { name: '@keepsake/old', version: '1.0.0' } }]);
    await packRelease(root, packed, registry.env);
  } finally {
    await registry.close();
  }
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A line of `releases.tsv`, by the names of its columns. */
function releases(): Record<string, string>[] {
  const columns = ['name', 'version', 'access', 'tag', 'tarball', 'sbom', 'notes'];
  const lines = read('releases.tsv').trimEnd().split('\n');
  return lines.map((line) => Object.fromEntries(line.split('\t').map((value, index) => [columns[index], value])));
}

describe('packRelease', () => {
  it('packs what npm lacks, dependencies first, with notes', () => {
    const [base, user, ...others] = releases();

    expect(others).toEqual([]);
    expect(base).toMatchObject({ name: '@keepsake/base', version: '1.2.0', access: 'public', tag: 'latest' });
    expect(user).toMatchObject({ name: '@keepsake/user', version: '2.0.0-next.1' });
    expect(read(base?.notes ?? '')).toBe('- Faster.');
    expect(read(user?.notes ?? '')).toBe('');
  });

  it('lists in an SBOM what a package needs to run, and what it contains', () => {
    const [base, user] = releases().map(({ sbom = '' }) => JSON.parse(read(sbom)));
    const purls = ({ components }: { components: { purl: string }[] }) => components.map(({ purl }) => purl);

    expect(base).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(base.metadata.component).toMatchObject({ purl: 'pkg:npm/%40keepsake/base@1.2.0', type: 'library' });
    expect(purls(base)).toEqual([expect.stringMatching(/^pkg:npm\/snowball-stemmers@\d/)]);
    expect(purls(user)).toEqual(['pkg:npm/%40keepsake/base@1.2.0']);
    expect(user.dependencies).toContainEqual({
      ref: '@keepsake/user@2.0.0-next.1',
      dependsOn: ['@keepsake/base@1.2.0'],
    });
    expect(JSON.stringify([base, user])).not.toMatch(/left-out|alone|file:/);
  });
});

/** Runs the commands of a job of the release workflow in a copy of the release, with `npm` and `gh` that only note their calls. */
async function runJob(
  name: string,
  { published = '', damaged = '' } = {},
): Promise<{ calls: string[]; failed: boolean }> {
  const workflow = parse(readFileSync(join(import.meta.dirname, '../../../.github/workflows/release.yml'), 'utf8'));
  const directory = mkdtempSync(join(scratch, 'job-'));
  await promisify(execFile)('cp', ['-R', `${packed}/.`, directory]);
  const { stdout } = await promisify(execFile)('shasum', ['-a', '256', 'SHA256SUMS'], { cwd: directory });
  if (damaged !== '') appendFileSync(join(directory, damaged), 'x');
  const calls = join(directory, 'calls.txt');
  const note = `#!/bin/bash\necho "$(basename "$0") $*" >> ${calls}\n`;
  write({ npm: `${note}[ "$2" = "${published}" ] && echo "\${2##*@}" || true\n` }, join(directory, 'bin'));
  write(
    { gh: `${note}[ "$2 $3" != "view ${published}" ] && [ "$2" = view ] && exit 1 || true\n` },
    join(directory, 'bin'),
  );
  for (const tool of ['npm', 'gh']) chmodSync(join(directory, 'bin', tool), 0o755);
  const env = {
    ...process.env,
    ...{ PATH: `${join(directory, 'bin')}${delimiter}${process.env.PATH}`, GITHUB_SHA: 'abc' },
    CHECKSUM: stdout.split(' ')[0],
  };
  let failed = false;
  try {
    for (const { run: commands } of workflow.jobs[name].steps) {
      if (commands !== undefined)
        await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', commands], { cwd: directory, env });
    }
  } catch {
    failed = true;
  }
  const noted = await promisify(execFile)('bash', ['-c', `cat ${calls} 2> /dev/null || true`]);
  return {
    calls: noted.stdout
      .trimEnd()
      .split('\n')
      .filter((line) => line !== ''),
    failed,
  };
}

describe('the release workflow', () => {
  const flags = '--provenance --ignore-scripts --access public --tag';

  it('publishes the tarballs in order, with provenance', async () => {
    const [base, user] = releases();

    expect(await runJob('publish')).toEqual({
      failed: false,
      calls: [
        'npm view @keepsake/base@1.2.0 version',
        `npm publish ./${base?.tarball} ${flags} latest`,
        'npm view @keepsake/user@2.0.0-next.1 version',
        `npm publish ./${user?.tarball} ${flags} ${user?.tag}`,
      ],
    });
  });

  it('continues where an earlier attempt has stopped', async () => {
    const { calls } = await runJob('publish', { published: '@keepsake/base@1.2.0' });

    expect(calls.filter((call) => call.startsWith('npm publish'))).toHaveLength(1);
    expect(calls.at(-1)).toContain('keepsake-user');
  });

  it.each(['publish', 'announce'])('refuses files that were changed after they were packed: %s', async (job) => {
    const [base] = releases();
    for (const damaged of [base?.tarball, base?.sbom, 'releases.tsv', 'SHA256SUMS']) {
      expect(await runJob(job, { damaged: damaged ?? '' })).toEqual({ failed: true, calls: [] });
    }
  });

  it('creates a tag and a release with notes and SBOM for each package', async () => {
    const [base, user] = releases();
    const { calls, failed } = await runJob('announce');

    expect(failed).toBe(false);
    expect(calls.filter((call) => call.startsWith('gh release create'))).toEqual([
      `gh release create @keepsake/base@1.2.0 ${base?.sbom} --target abc --title @keepsake/base@1.2.0 --notes-file ${base?.notes}`,
      `gh release create @keepsake/user@2.0.0-next.1 ${user?.sbom} --target abc --title @keepsake/user@2.0.0-next.1 --notes-file ${user?.notes} --prerelease`,
    ]);
    const again = await runJob('announce', { published: '@keepsake/base@1.2.0' });
    expect(again.calls.filter((call) => call.startsWith('gh release create'))).toHaveLength(1);
  });
});
