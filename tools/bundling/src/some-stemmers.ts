import { readFile } from 'node:fs/promises';
import { type Plugin, transform } from 'esbuild';

/** Those of which `@keepsake/search` makes use. */
const USED = ['dutch', 'english', 'french', 'german', 'italian', 'portuguese', 'russian', 'spanish'];

/** In the library, the stemmer of one language, and its row in the table of all. */
const STEMMER = /^ {4}var (\w+)Stemmer = function \(_SnowballStemmer\d*\) \{\n[\s\S]*?\n {4}\}\(SnowballStemmer\);\n/gm;
const ROW = /^ {12}(\w+): \1Stemmer,?\n/gm;

/**
 * Bundles what is used of `snowball-stemmers`, a file of 870 kB with the stemmers of 24 languages, and runs it when the
 * first stemmer is asked for. Otherwise it would be most of what a user installs, and half of how long our import takes.
 */
export const someStemmers: Plugin = {
  name: 'some-stemmers',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^snowball-stemmers$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'when-called' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'when-called' }, () => ({ contents: WHEN_CALLED, resolveDir: import.meta.dirname }));
    onLoad({ filter: /snowball-stemmers\.js$/ }, async ({ path }) => {
      const { code } = await transform(keepUsed(await readFile(path, 'utf8')), { minify: true, charset: 'utf8' });
      return { contents: code };
    });
  },
};

const WHEN_CALLED = `
  let library;
  export function newStemmer(algorithm) {
    library ??= require('snowball-stemmers');
    return library.newStemmer(algorithm);
  }
`;

/** @throws Error when the library is not written as it was: then this file is to be looked at. */
function keepUsed(library: string): string {
  const kept = { stemmers: 0, rows: 0 };
  const count = (what: keyof typeof kept) => (text: string, language: string) => {
    if (!USED.includes(language)) return '';
    kept[what] += 1;
    return text;
  };
  const shortened = library.replace(STEMMER, count('stemmers')).replace(ROW, count('rows'));
  if (kept.stemmers !== USED.length || kept.rows !== USED.length) {
    throw new Error(`snowball-stemmers has changed: found ${kept.stemmers} stemmers and ${kept.rows} rows of those used.`);
  }
  return shortened;
}
