import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { changelogEntry } from './changelog.ts';
import { lockAlone } from './install.ts';
import { expectBuilt } from './pack.ts';
import { findPackages, type Package } from './packages.ts';
import { type Planned, packPlan } from './publish-plan.ts';
import { sbomOf } from './sbom.ts';

/**
 * Writes what a release needs of the repository at `root` into the new directory `outDir`, so that the jobs that publish it
 * run no code of this repository:
 *
 * - the tarballs of the packages that npm lacks;
 * - for each, a bill of materials (`.cdx.json`) and the changelog entry (`.md`);
 * - `releases.tsv`, a line for each, dependencies first: name, version, access, npm's tag, and the three files;
 * - `SHA256SUMS` of all files.
 *
 * @param env - Variables for the question of what npm lacks, such as another registry.
 * @throws Error if a package is not built.
 */
export async function packRelease(
  root: string,
  outDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Planned[]> {
  const packages = findPackages(root);
  expectBuilt(packages);
  const planned = await packPlan(root, outDir, env);
  const tarballs = new Map(planned.map(({ name, tarball }) => [name, { path: join(outDir, tarball.path) }]));
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-sbom-'));
  try {
    const lines: string[] = [];
    for (const { name, version, access, tag, tarball } of planned) {
      const each = packages.find((one) => one.name === name) as Package;
      const project = join(scratch, name);
      await lockAlone(each, project, packages, tarballs);
      const file = basename(tarball.path, '.tgz');
      const [sbom, notes] = [`${file}.cdx.json`, `${file}.md`];
      writeFileSync(join(outDir, sbom), JSON.stringify(await sbomOf(each, project), null, 2));
      writeFileSync(join(outDir, notes), notesOf(each, version));
      lines.push([name, version, access, tag, tarball.path, sbom, notes].join('\t'));
    }
    writeFileSync(join(outDir, 'releases.tsv'), lines.map((line) => `${line}\n`).join(''));
    writeFileSync(join(outDir, 'SHA256SUMS'), checksums(outDir));
    return planned;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The text of the changelog entry. The number of the version is the title of the release. */
function notesOf({ directory }: Package, version: string): string {
  return (changelogEntry(directory, version) ?? '').slice(version.length).trim();
}

/** In the format of `shasum`. */
function checksums(directory: string): string {
  const files = globSync('**/*.{tgz,json,md,tsv}', { cwd: directory }).sort();
  const sum = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(directory, path)))
      .digest('hex');
  return files.map((path) => `${sum(path)}  ${path}\n`).join('');
}
