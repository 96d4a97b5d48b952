// `npm run registry`: until it is stopped, npm on this machine gets our packages from this clone, and all others as always.
// `npm run registry -- core file` builds and serves only these.
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { npm } from '@keepsake/testing/npm';
import { run } from '@keepsake/testing/run';
import { pack } from './pack.ts';
import { closure, findPackages } from './packages.ts';
import { PATH } from './publish-plan.ts';
import { type Registry, startRegistry } from './registry.ts';

/** The same each time, because lock files name it. */
const PORT = '4873';
const SETTING = '@keepsake:registry';

const { values, positionals } = parseArgs({
  options: { port: { type: 'string', default: PORT } },
  allowPositionals: true,
});
const root = join(import.meta.dirname, '../../..');
const all = findPackages(root);
const named = (name: string) => all.find((each) => basename(each.directory) === name);
const unknown = positionals.filter((name) => named(name) === undefined);
if (unknown.length > 0) fail(`There is no package ${unknown.join(', ')}.`);
const wanted = positionals.flatMap((name) => named(name)?.name ?? []);
const packages = wanted.length === 0 ? all : [...new Set(wanted.flatMap((name) => closure(name, all)))];

const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-registry-'));
let registry: Registry | undefined;
try {
  registry = await startRegistry(Number(values.port)).catch((error) =>
    fail(`Port ${values.port} is taken (${error.code}). If another \`npm run registry\` runs, stop it first.`),
  );
  const names = packages.map(({ name }) => name);
  console.log(`Building ${names.length} packages, which takes a minute or two …`);
  await run('nx', ['run-many', '-t', 'build', '-p', ...names], { cwd: root, env: { PATH } });
  registry.add(packages, await pack(packages, scratch));
  // SIGHUP: the terminal was closed.
  const stopped = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  await npm(['config', 'set', SETTING, registry.url, '--location=user'], { cwd: root });
  console.log(`npm gets @keepsake/… from ${registry.url} now. Go on in another terminal; Ctrl-C ends it.`);
  await stopped;
} finally {
  await npm(['config', 'delete', SETTING, '--location=user'], { cwd: root });
  await registry?.close();
  rmSync(scratch, { recursive: true, force: true });
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
