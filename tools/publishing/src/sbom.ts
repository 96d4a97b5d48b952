import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '@keepsake/testing/npm';
import { type Package, readManifest } from './packages.ts';

/** A software bill of materials in CycloneDX 1.5, as npm writes it. Only the fields that are read or changed here. */
export interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope?: string;
  readonly licenses?: readonly { readonly license: { readonly id: string } }[];
  readonly externalReferences?: readonly { readonly type: string; readonly url: string }[];
}

const MODULES = join(import.meta.dirname, '../../../node_modules');

/**
 * The bill of materials of a package: everything that npm installs for it, with checksums, and the libraries in its bundle.
 *
 * npm refuses this repository: its root has no version, and overrides of the tools don't fit. So it reads the project at
 * `project`, which has nothing but this package, see `lockAlone`.
 */
export async function sbomOf({ name, directory }: Package, project: string): Promise<Sbom> {
  const json = await npm(['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'], { cwd: project });
  const { dependencies, ...sbom }: Sbom = JSON.parse(json);
  const components = sbom.components.map(withoutPaths);
  const own = components.find((each) => each.name === name);
  if (own === undefined) throw new Error(`${name} is not in the project ${project}.`);
  const bundled = bundledLibraries(directory);
  const refs = bundled.map((each) => each['bom-ref']);
  const outer = sbom.metadata.component['bom-ref'];
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: { ...own, type: 'library' } },
    components: [...components.filter((each) => each !== own), ...bundled],
    dependencies: [
      ...dependencies
        .filter(({ ref }) => ref !== outer)
        .map(({ ref, dependsOn }) => ({
          ref,
          dependsOn: ref === own['bom-ref'] ? [...dependsOn, ...refs] : dependsOn,
        })),
      ...refs.map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
}

/** Without the paths of tarballs on this machine. */
function withoutPaths(component: Component): Component {
  const { externalReferences = [] } = component;
  return { ...component, externalReferences: externalReferences.filter(({ url }) => !url.startsWith('file:')) };
}

/** The libraries that a build contains, by their licence comments: `/*! From name, …`. */
function bundledLibraries(directory: string): Component[] {
  const code = globSync('dist/**/*.js', { cwd: directory }).map((path) => readFileSync(join(directory, path), 'utf8'));
  const names = code.flatMap((text) => [...text.matchAll(/\/\*!\s+\* From (\S+),/g)].map(([, name = '']) => name));
  return [...new Set(names)].sort().map((name) => {
    const { version, license } = readManifest(join(MODULES, name, 'package.json'));
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return {
      'bom-ref': `${name}@${version}`,
      ...{ type: 'library', name, version, scope: 'required', purl },
      licenses: license === undefined ? [] : [{ license: { id: license } }],
    };
  });
}
