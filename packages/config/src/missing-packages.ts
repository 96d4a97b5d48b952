import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';

/** The specifier of an import: `from 'x'`, `import 'x'` or `import('x')`. */
const IMPORT = /\b(?:from|import)\s*\(?\s*(['"])([^'"]+)\1/g;

/** The packages that a file imports and that are not installed, by name. */
export function missingPackages(path: string): string[] {
  const { resolve } = createRequire(path);
  const specifiers = [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(([, , specifier = '']) => specifier);
  const packages = specifiers.filter((specifier) => /^[@a-z]/i.test(specifier) && !isBuiltin(specifier)).map(packageOf);
  return [...new Set(packages)].filter((name) => {
    try {
      resolve(name);
      return false;
    } catch (error) {
      // Any other error comes from the exports of a package that is there.
      return (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    }
  });
}

function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}
