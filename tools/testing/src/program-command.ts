import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

const ROOT = join(import.meta.dirname, '../../..');
const MODULES = join(ROOT, 'node_modules');
const BUNDLES = join(MODULES, '.cache/keepsake-programs');

const started = new Set<string>();

/**
 * The arguments with which Node runs a TypeScript file against the sources of the workspace. When it is started again, it
 * is bundled: loading one file takes a third of the time of hundreds. The bundle is kept until one of its sources changes.
 */
export function commandOf(path: string): string[] {
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16);
  const file = join(BUNDLES, `${basename(path, '.ts')}-${hash}.mjs`);
  const bundled = isCurrent(file) || (started.has(path) && bundle(path, file));
  started.add(path);
  return ['--conditions=@keepsake/source', bundled ? file : path];
}

/**
 * Bundles a program with the sources of the workspace that it imports. Packages from npm stay outside.
 *
 * @returns Whether it can run there: not if it looks for files beside its source.
 */
function bundle(path: string, file: string): boolean {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [path],
    absWorkingDir: ROOT,
    outdir: BUNDLES,
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    conditions: ['@keepsake/source'],
    external: packagesFromNpm(),
  });
  const [program] = outputFiles;
  if (program === undefined || program.text.includes('import.meta.')) return false;
  mkdirSync(BUNDLES, { recursive: true });
  replace(`${file}.json`, JSON.stringify(Object.keys(metafile.inputs)));
  replace(file, program.contents);
  return true;
}

function isCurrent(file: string): boolean {
  try {
    const { mtimeMs } = statSync(file);
    const sources: string[] = JSON.parse(readFileSync(`${file}.json`, 'utf8'));
    return sources.every((source) => statSync(join(ROOT, source)).mtimeMs < mtimeMs);
  } catch {
    return false;
  }
}

/** At once, because other processes may bundle and start the same program. */
function replace(path: string, contents: string | Uint8Array): void {
  const written = `${path}.${process.pid}`;
  writeFileSync(written, contents);
  renameSync(written, path);
}

function packagesFromNpm(): string[] {
  return readdirSync(MODULES, { withFileTypes: true })
    .filter(({ name }) => name !== '@keepsake' && !name.startsWith('.'))
    .flatMap(({ name }) => (name.startsWith('@') ? `${name}/*` : [name, `${name}/*`]));
}
