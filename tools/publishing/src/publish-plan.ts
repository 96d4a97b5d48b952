import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from '@keepsake/testing/run';

/** A packed package that npm lacks. */
export interface Planned {
  readonly name: string;
  readonly version: string;
  readonly access: string;
  /** npm's tag, such as `latest`. */
  readonly tag: string;
  readonly tarball: { readonly path: string };
}

interface Plan {
  readonly plan: readonly (readonly (Planned & { readonly kind: string })[])[];
}

// The tools of this repository, because a copy of it has none.
const TOOLS = join(import.meta.dirname, '../../../node_modules/.bin');

/** The PATH with the tools of this repository first. */
export const PATH = `${TOOLS}${delimiter}${process.env.PATH}`;

/** Packs what npm lacks of the repository at `root` with Changesets, dependencies first. Paths are relative to `outDir`. */
export async function packPlan(
  root: string,
  outDir: string,
  env: Readonly<Record<string, string>>,
): Promise<Planned[]> {
  mkdirSync(outDir, { recursive: true });
  await run('changeset', ['pack', '--out-dir', outDir], { cwd: root, env: { ...env, PATH } });
  const { plan }: Plan = JSON.parse(readFileSync(join(outDir, 'publish-plan.json'), 'utf8'));
  return plan.flat().filter(({ kind }) => kind === 'publish');
}
