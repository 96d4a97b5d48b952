import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { packageOf } from './imports.ts';

/** A project of somebody who uses a package, as far as the compiler is concerned. */
interface Consumer {
  readonly name: string;
  readonly options: ts.CompilerOptions;
}

const RESOLUTIONS = [
  ['nodenext', { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }],
  ['bundler', { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
] as const;

/**
 * Compiles, in a project with installed packages, a program and an import of all that `specifiers` export, in every way
 * that users set up TypeScript: for Node, and where `portable` also for the web, without Node's types.
 *
 * @returns what the compiler says, also of the declarations of the packages of `specifiers`: `skipLibCheck` is off. What
 *   it says of those of others is left out: some peers want Node's types, or packages that are optional.
 */
export function typeFaults(
  project: string,
  { program, specifiers, portable }: { program: string; specifiers: readonly string[]; portable: boolean },
): string[] {
  const everything = join(project, 'everything.ts');
  writeFileSync(everything, specifiers.map((specifier, index) => importAll(specifier, index)).join(''));
  const own = specifiers.map((specifier) => `/node_modules/${packageOf(specifier)}/`);
  return consumers(portable).flatMap(({ name, options }) => {
    const files = options.types?.includes('node') ? [everything, program] : [everything];
    return compile(project, files, options, own).map((fault) => `${name}: ${fault}`);
  });
}

function importAll(specifier: string, index: number): string {
  return `import * as all${index} from '${specifier}';\nexport { all${index} };\nexport type * as types${index} from '${specifier}';\n`;
}

function consumers(portable: boolean): Consumer[] {
  const node = { types: ['node'], typeRoots: [TYPES], lib: ['lib.esnext.d.ts'] };
  const web = { types: [], lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'] };
  const platforms = portable ? Object.entries({ node, web }) : Object.entries({ node });
  return platforms.flatMap(([platform, environment]) =>
    RESOLUTIONS.flatMap(([resolution, modules]) =>
      [false, true].map((exactOptionalPropertyTypes) => ({
        name: `${platform}, ${resolution}${exactOptionalPropertyTypes ? ', exactOptionalPropertyTypes' : ''}`,
        options: { ...STRICT, ...environment, ...modules, exactOptionalPropertyTypes },
      })),
    ),
  );
}

const TYPES = join(import.meta.dirname, '../../../node_modules/@types');

const STRICT: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  strict: true,
  verbatimModuleSyntax: true,
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true,
};

// Parsing the language's and Node's own declarations takes longer than all else, and gives the same each time.
const parsed = new Map<string, ts.SourceFile | undefined>();
const SHARED = /\/node_modules\/(typescript\/lib|@types\/node|undici-types)\//;

function compile(
  project: string,
  files: readonly string[],
  options: ts.CompilerOptions,
  own: readonly string[],
): string[] {
  const host = ts.createCompilerHost(options);
  host.getCurrentDirectory = () => project;
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...rest) => {
    if (!SHARED.test(path)) return getSourceFile(path, ...rest);
    const key = `${options.moduleResolution} ${path}`;
    if (!parsed.has(key)) parsed.set(key, getSourceFile(path, ...rest));
    return parsed.get(key);
  };
  const program = ts.createProgram(files, options, host);
  const checked = program.getSourceFiles().filter(({ fileName }) => {
    const inside = fileName.slice(Math.max(fileName.lastIndexOf('/node_modules/'), 0));
    return !inside.startsWith('/node_modules/') || own.some((place) => inside.startsWith(place));
  });
  return [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ].map((diagnostic) => ts.formatDiagnostic(diagnostic, host).trim());
}
