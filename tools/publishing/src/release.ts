import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readChangesets } from '@changesets/read';
import { npm, parseReports } from '@keepsake/testing/npm';
import { findPackages, type Package } from './packages.ts';
import { PATH, packPlan } from './publish-plan.ts';
import type { Registry } from './registry.ts';

/** The content of a changeset. */
export interface Changeset {
  readonly id: string;
  readonly summary: string;
  readonly releases: readonly { readonly name: string; readonly type: string }[];
}

/** A package that npm would publish. */
export interface Publication {
  readonly name: string;
  readonly version: string;
  readonly access: string;
  readonly files: number;
  /** The compressed and the installed size. */
  readonly packedBytes: number;
  readonly bytes: number;
}

/** One release: its changesets, the packages before and after, and what would be published. */
export interface Release {
  readonly changesets: readonly Changeset[];
  readonly before: readonly Package[];
  readonly after: readonly Package[];
  readonly published: readonly Publication[];
}

/**
 * Runs the steps of the release workflow in a copy of the repository, except publishing: versions, changelogs and lockfile
 * by its script, then Changesets' publish plan, the tarballs, and npm's dry run for each. Without changesets, the versions
 * stay, as in the workflow.
 */
export async function release(directory: string, registry: Registry): Promise<Release> {
  const changesets = await readChangesets(directory);
  const before = findPackages(directory);
  if (changesets.length > 0) {
    // New versions of our own packages need no registry for the lockfile. Overrides machine settings that disable the
    // lockfile.
    const env = { PATH, npm_config_offline: 'true', npm_config_package_lock: 'true', npm_config_save: 'true' };
    await npm(['run', '--silent', 'release:version'], { cwd: directory, env });
  }
  return { changesets, before, after: findPackages(directory), published: await publications(directory, registry) };
}

interface PublishReport {
  readonly name: string;
  readonly version: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly unknown[];
}

async function publications(directory: string, registry: Registry): Promise<Publication[]> {
  const outDir = join(directory, 'tmp/packed');
  const published: Publication[] = [];
  for (const { access, tag, tarball } of await packPlan(directory, outDir, registry.env)) {
    published.push(await dryRun(join(outDir, tarball.path), { access, tag }, registry));
  }
  return published;
}

/** Calls npm as the release workflow does, with `--dry-run`. */
async function dryRun(
  tarball: string,
  { access, tag }: { access: string; tag: string },
  { env }: Registry,
): Promise<Publication> {
  const args = ['publish', tarball, '--dry-run', '--json', '--access', access, '--tag', tag];
  const [report] = parseReports<PublishReport>(await npm(args, { cwd: dirname(tarball), env }));
  if (report === undefined) throw new Error(`npm reported nothing about ${tarball}.`);
  const { name, version, size, unpackedSize, files } = report;
  return { name, version, access, files: files.length, packedBytes: size, bytes: unpackedSize };
}

/** Adds a changeset to a copy of the repository. */
export function addChangeset(directory: string, names: readonly string[], type: string, summary: string): void {
  const lines = names.map((name) => `"${name}": ${type}`).join('\n');
  writeFileSync(join(directory, '.changeset/rehearsal.md'), `---\n${lines}\n---\n\n${summary}\n`);
}
