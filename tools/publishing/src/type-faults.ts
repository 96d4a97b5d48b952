import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Compiler } from './compiler.ts';
import { packageOf } from './imports.ts';

/** What to compile: programs for Node, and an import of all exports of `specifiers`. */
interface Uses {
  readonly programs: readonly string[];
  readonly specifiers: readonly string[];
  /** Whether it works without Node's types. */
  readonly portable: boolean;
  /** Whether to try only one setup for each platform. @default false */
  readonly oneSetup?: boolean;
}

/** The compiler setup of a user's project. */
interface Consumer {
  readonly name: string;
  readonly isForNode: boolean;
  readonly options: object;
}

/** Without `esnext.disposable`, Node's types bring what they need of it, and programs can't be `await using`. */
const PLATFORMS = {
  node: { types: ['node'], typeRoots: [join(import.meta.dirname, '../../../node_modules/@types')], lib: ['esnext'] },
  web: { types: [], lib: ['es2022', 'dom', 'dom.iterable'] },
};

/** How Node resolves, under two names that differ in the syntax they allow. */
const AS_NODE = ['node16', 'nodenext'].map((name) => ({ name, modules: { module: name, moduleResolution: name } }));
const AS_BUNDLER = { name: 'bundler', modules: { module: 'esnext', moduleResolution: 'bundler' } };

const STRICT = {
  target: 'es2022',
  strict: true,
  verbatimModuleSyntax: true,
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true,
};

/**
 * Compiles programs and an import of all exports in a project with installed packages, as users set up TypeScript: for Node,
 * and if `portable` also for the web, without Node's types and without `esnext.disposable`. Every compiler resolves like Node
 * and like a bundler, with and without `exactOptionalPropertyTypes`, but not in every combination: compiling some peers takes
 * ten seconds.
 *
 * @returns the errors, also those in the declarations of the packages of `specifiers`: `skipLibCheck` is off. Errors in
 *   other declarations are left out: some peers want Node's types, or packages that are optional.
 */
export async function typeFaults(
  project: string,
  { programs, specifiers, portable, oneSetup = false }: Uses,
  compilers: readonly Compiler[],
): Promise<string[]> {
  const everything = join(project, 'everything.ts');
  writeFileSync(everything, specifiers.map((specifier, index) => importAll(specifier, index)).join(''));
  const own = specifiers.map((specifier) => `/node_modules/${packageOf(specifier)}/`);
  const isChecked = (path: string) => {
    const inside = path.slice(Math.max(path.lastIndexOf('/node_modules/'), 0));
    return !inside.startsWith('/node_modules/') || own.some((place) => inside.startsWith(place));
  };
  // At once: the compiler that is a command runs beside those that run here.
  const found = await Promise.all(
    compilers.map(async (compiler, index) => {
      const faults: string[] = [];
      for (const { name, isForNode, options } of consumers(portable, index, oneSetup)) {
        const files = isForNode ? [everything, ...programs] : [everything];
        const errors = await compiler.check({ project, files, options, isChecked });
        faults.push(...errors.map((error) => `${compiler.name}, ${name}: ${error}`));
      }
      return faults;
    }),
  );
  return found.flat();
}

function importAll(specifier: string, index: number): string {
  return `import * as all${index} from '${specifier}';\nexport { all${index} };\nexport type * as types${index} from '${specifier}';\n`;
}

/** The setups to try with a compiler. `node16` and `nodenext` alternate, and so does `exactOptionalPropertyTypes`. */
function consumers(portable: boolean, compiler: number, oneSetup: boolean): Consumer[] {
  const platforms = Object.entries(PLATFORMS).filter(([platform]) => platform === 'node' || portable);
  return platforms.flatMap(([platform, environment], place) => {
    const asNode = AS_NODE.filter((_, index) => index === (compiler + place) % 2);
    return [...asNode, AS_BUNDLER].slice(0, oneSetup ? 1 : 2).map(({ name, modules }, index) => {
      const exactOptionalPropertyTypes = (compiler + index) % 2 === 1;
      return {
        name: `${platform}, ${name}${exactOptionalPropertyTypes ? ', exactOptionalPropertyTypes' : ''}`,
        isForNode: platform === 'node',
        options: { ...STRICT, ...environment, ...modules, exactOptionalPropertyTypes },
      };
    });
  });
}
