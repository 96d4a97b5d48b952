import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import type { Plugin } from 'rollup';
import { SNOWBALL_LICENCE } from './snowball-licence.ts';

/** The stemmers that `@keepsake/search` uses. */
const USED = ['dutch', 'english', 'french', 'german', 'italian', 'portuguese', 'russian', 'spanish'];

/** The code of one language's stemmer in the library, and its row in the table of stemmers. */
const STEMMER = /^ {4}var (\w+)Stemmer = function \(_SnowballStemmer\d*\) \{\n[\s\S]*?\n {4}\}\(SnowballStemmer\);\n/gm;
const ROW = /^ {12}(\w+): \1Stemmer,?\n/gm;

/**
 * Bundles only the used part of `snowball-stemmers`, a file of 870 kB with the stemmers of 24 languages, and runs it when
 * the first stemmer is requested. The whole file would be most of our install size and import time.
 */
export const someStemmers: Plugin = {
  name: 'some-stemmers',
  async load(path) {
    if (!path.endsWith('/snowball-stemmers.js')) return undefined;
    const { code } = await transform(usedOf(await readFile(path, 'utf8')), {
      minify: true,
      charset: 'utf8',
      define: { define: 'undefined' }, // Disables loading by AMD.
    });
    return `
      let library;
      export function newStemmer(algorithm) {
        if (library === undefined) {
          library = {};
          load(library);
        }
        return library.newStemmer(algorithm);
      }
      ${SNOWBALL_LICENCE}
      function load(exports) {
        ${code}
      }
    `;
  },
};

/** @throws Error if the library has changed. Then this file must be updated. */
function usedOf(library: string): string {
  const kept: string[] = [];
  const keep = (text: string, language: string) => {
    if (!USED.includes(language)) return '';
    kept.push(language);
    return text;
  };
  const shortened = library.replace(STEMMER, keep).replace(ROW, keep);
  if (String(kept) !== String([...USED, ...USED])) throw new Error(`snowball-stemmers has changed: found ${kept}.`);
  return shortened;
}
