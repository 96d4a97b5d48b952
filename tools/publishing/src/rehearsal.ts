import { commit, copyRepository } from './copy-repository.ts';
import { startRegistry } from './registry.ts';
import { addChangeset, type Release, release } from './release.ts';
import { releaseFaults } from './release-faults.ts';

/** One rehearsed release. */
export interface Rehearsed extends Release {
  readonly title: string;
  readonly faults: readonly string[];
}

/**
 * Rehearses releases in the empty `directory` with a copy of the repository at `root`: first with the current changesets,
 * then with a new feature in core, then with new features in all packages that others depend on. Nothing leaves this
 * machine.
 */
export async function rehearse(root: string, directory: string): Promise<Rehearsed[]> {
  await copyRepository(root, directory);
  const registry = await startRegistry();
  try {
    const rehearsed: Rehearsed[] = [];
    const next = async (title: string) => {
      const done = await release(directory, registry);
      rehearsed.push({ title, ...done, faults: releaseFaults(done, directory, rehearsed.length === 0) });
      registry.add(done.after);
      return done;
    };
    const nextOf = async (title: string, names: readonly string[]) => {
      addChangeset(directory, names, 'minor', `${title}.`);
      await commit(directory);
      return next(title);
    };

    const { after } = await next('The changesets of now');
    await nextOf('A new feature of core', ['@keepsake/core']);
    const depended = after.filter(({ name }) => after.some(({ manifest }) => name in (manifest.dependencies ?? {})));
    await nextOf(
      'New features of all that others depend on',
      depended.map(({ name }) => name),
    );
    return rehearsed;
  } finally {
    await registry.close();
  }
}
