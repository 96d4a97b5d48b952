import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getProjects, logger, names, readJson, type Tree, updateJson, writeJson } from '@nx/devkit';

/** What stands behind `nx g @keepsake/tools:adapter`. */
interface AdapterOptions {
  /** What the backend is called, in kebab-case. */
  readonly name: string;
}

const TEMPLATE = join(import.meta.dirname, '../../template');

/** The package whose settings, licence and dependencies a new one begins with. */
const MODEL = 'packages/in-memory';

/** What only the model's own tests need. */
const OF_ITS_TESTS = ['suites', 'testing'];

/** Makes `packages/NAME` of the template, and tells the repository of it. What it gives back runs once all is written. */
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
packages/${name} is a whole backend, on SQLite. See it pass the kit:

  npx nx test @keepsake/${name}

Then make it yours, one file of src/ after the other: docs/write-an-adapter.md says what each has to promise.`);
  };
}

function checkName(tree: Tree, name: string): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(`"${name}" can't name a package. Use kebab-case that begins with a letter, such as my-backend.`);
  }
  if (tree.exists(`packages/${name}`)) {
    throw new Error(`packages/${name} is there already. Choose another name, or remove that folder first.`);
  }
  const project = getProjects(tree).get(`@keepsake/${name}`);
  if (project !== undefined) {
    throw new Error(`@keepsake/${name} is the name of ${project.root} already. Choose another name.`);
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

/** Puts the new name wherever the template has that of its package or classes; it stays a backend on `node:sqlite`. */
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
  const isOfTests = ({ path }: { path: string }) => OF_ITS_TESTS.some((tool) => `${path}/`.includes(`/tools/${tool}/`));
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
  const ofTests = OF_ITS_TESTS.map((tool) => `@keepsake/${tool}`);
  return Object.fromEntries(Object.entries(dependencies).filter(([dependency]) => !ofTests.includes(dependency)));
}

/** What `npm install` would write of a package that needs nothing new. So the command needs no network. */
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

/** Where lines break and how imports are sorted depends on the name. */
function format(root: string, name: string): void {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  execFileSync(process.execPath, [biome, 'check', '--write', `packages/${name}`], { cwd: root, stdio: 'pipe' });
}
