import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getProjects, logger, names, readJson, type Tree, updateJson, writeJson } from '@nx/devkit';

/** The implementation of `nx g @keepsake/tools:adapter`. */
interface AdapterOptions {
  /** The name of the backend, in kebab-case. */
  readonly name: string;
}

const TEMPLATE = join(import.meta.dirname, '../../template');

/** The package whose settings, licence and dependencies a new one starts from. */
const MODEL = 'packages/in-memory';

/** Dependencies that only the tests of that package need. */
const OF_ITS_TESTS = ['suites', 'privacy'];

/**
 * Creates `packages/NAME` from the template and adds it to the repository. The returned callback runs after all files are
 * written.
 */
export default function adapter(tree: Tree, { name }: AdapterOptions): () => void {
  checkName(tree, name);
  writeSources(tree, name);
  writeSettings(tree, name);
  updateJson(tree, 'tsconfig.json', (config) => ({
    ...config,
    references: [...config.references, { path: `./packages/${name}` }],
  }));
  lock(tree, name);
  return () => {
    format(tree.root, name);
    logger.info(`
packages/${name} is a complete backend on SQLite. To see it pass the conformance kit, run:

  npx nx test @keepsake/${name}

Then adapt the files of src/ to your backend, one after the other. docs/write-an-adapter.md explains what each must do.`);
  };
}

function checkName(tree: Tree, name: string): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(
      `"${name}" is not a valid package name. Use kebab-case that starts with a letter, such as my-backend.`,
    );
  }
  if (tree.exists(`packages/${name}`)) {
    throw new Error(`packages/${name} already exists. Choose another name, or remove that folder first.`);
  }
  const project = getProjects(tree).get(`@keepsake/${name}`);
  if (project !== undefined) {
    throw new Error(`@keepsake/${name} is already the name of ${project.root}. Choose another name.`);
  }
}

function writeSources(tree: Tree, name: string): void {
  for (const file of readdirSync(TEMPLATE, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const text = renamed(readFileSync(path, 'utf8'), name);
    const target = renamed(path.slice(TEMPLATE.length + 1), name).replace(/\.template$/, '');
    tree.write(target === 'changeset.md' ? `.changeset/first-${name}.md` : `packages/${name}/${target}`, text);
  }
}

/** Replaces the template's package and class names. The new package is still a backend on `node:sqlite`. */
function renamed(text: string, name: string): string {
  const { className } = names(name);
  return text.replaceAll(/Sqlite|sqlite(?=-)|(?<=@keepsake\/)sqlite/g, (found) =>
    found === 'Sqlite' ? className : name,
  );
}

function writeSettings(tree: Tree, name: string): void {
  for (const file of ['LICENSE', 'tsconfig.json', 'tsconfig.spec.json', 'vitest.config.ts']) {
    tree.write(`packages/${name}/${file}`, tree.read(`${MODEL}/${file}`) ?? '');
  }
  const settings = readJson<{ references: { path: string }[] }>(tree, `${MODEL}/tsconfig.lib.json`);
  const isOfTests = ({ path }: { path: string }) => OF_ITS_TESTS.some((name) => `${path}/`.includes(`/${name}/`));
  writeJson(tree, `packages/${name}/tsconfig.lib.json`, {
    ...settings,
    references: settings.references.filter((reference) => !isOfTests(reference)),
  });
  const manifest = readJson(tree, `${MODEL}/package.json`);
  writeJson(tree, `packages/${name}/package.json`, {
    ...manifest,
    devDependencies: withoutTests(manifest.devDependencies),
    name: `@keepsake/${name}`,
    version: '0.0.0',
    description: 'Sessions and memory stores for AI agents in SQLite.',
    repository: { ...manifest.repository, directory: `packages/${name}` },
  });
}

function withoutTests(dependencies: Readonly<Record<string, string>>): Record<string, string> {
  const ofTests = OF_ITS_TESTS.map((name) => `@keepsake/${name}`);
  return Object.fromEntries(Object.entries(dependencies).filter(([dependency]) => !ofTests.includes(dependency)));
}

/**
 * The lockfile entries that `npm install` would write for a package without new dependencies, so that the command needs no
 * network.
 */
function lock(tree: Tree, name: string): void {
  updateJson(tree, 'package-lock.json', (lockfile) => {
    const { devDependencies, ...model } = lockfile.packages[MODEL];
    const added = {
      [`node_modules/@keepsake/${name}`]: { resolved: `packages/${name}`, link: true },
      [`packages/${name}`]: {
        ...model,
        name: `@keepsake/${name}`,
        version: '0.0.0',
        devDependencies: withoutTests(devDependencies),
      },
    };
    const packages = Object.entries({ ...lockfile.packages, ...added });
    return {
      ...lockfile,
      packages: Object.fromEntries(packages.sort(([one], [other]) => one.localeCompare(other, 'en'))),
    };
  });
}

/** Formats the files, because line breaks and the order of imports depend on the name. */
function format(root: string, name: string): void {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  execFileSync(process.execPath, [biome, 'check', '--write', `packages/${name}`], { cwd: root, stdio: 'pipe' });
}
