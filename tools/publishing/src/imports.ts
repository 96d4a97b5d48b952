import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { relative } from 'node:path';
import ts from 'typescript';
import { filesBelow, type InstalledPackage } from './installed.ts';

/** The imports of a JavaScript or TypeScript file from outside its folder, including types, once each. */
export function outsideImports(text: string): string[] {
  const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(text, true, true);
  const specifiers = importedFiles.concat(typeReferenceDirectives).map(({ fileName }) => fileName);
  return [...new Set(specifiers)].filter((specifier) => !/^\.{0,2}\//.test(specifier));
}

/** Returns `@scope/name` for `@scope/name/path`. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The code and declaration files of an installed package and their imports. */
export function importsOf({ directory }: InstalledPackage): { path: string; imports: string[] }[] {
  return filesBelow(directory)
    .filter((path) => /\.([cm]?js|d\.[cm]?ts)$/.test(path))
    .map((path) => ({ path: relative(directory, path), imports: outsideImports(readFileSync(path, 'utf8')) }));
}

/** Imports that the manifest does not declare. They only work because another package installs them. */
export function importFaults(installed: InstalledPackage): string[] {
  const { name, dependencies, optionalDependencies, peerDependencies } = installed.manifest;
  const declared = new Set([name, ...Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })]);
  return importsOf(installed).flatMap(({ path, imports }) =>
    imports
      .filter((specifier) => !isBuiltin(specifier) && !declared.has(packageOf(specifier)))
      .map((specifier) => `${path} imports ${specifier}, which package.json does not declare.`),
  );
}
