import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import type { Plugin } from 'rollup';
import { SNOWBALL_LICENCE } from './snowball-licence.ts';

/** Those of which `@keepsake/search` makes use. */
const USED = ['dutch', 'english', 'french', 'german', 'italian', 'portuguese', 'russian', 'spanish'];

/** In the library, the stemmer of one language, and its row in the table of all. */
const STEMMER = /^ {4}var (\w+)Stemmer = function \(_SnowballStemmer\d*\) \{\n[\s\S]*?\n {4}\}\(SnowballStemmer\);\n/gm;
const ROW = /^ {12}(\w+): \1Stemmer,?\n/gm;

/**
 * Bundles what is used of `snowball-stemmers`, a file of 870 kB with the stemmers of 24 languages, and runs it when the
 * first stemmer is asked for. Whole, it would be most of what a user of ours installs, and of what an import takes.
 */
export const someStemmers: Plugin = {
  name: 'some-stemmers',
  async load(path) {
    if (!path.endsWith('/snowball-stemmers.js')) return undefined;
    const { code } = await transform(usedOf(await readFile(path, 'utf8')), {
      minify: true,
      charset: 'utf8',
      define: { define: 'undefined' }, // It would also have itself loaded by AMD.
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

/** @throws Error when the library is not written as it was: then this file is to be looked at. */
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
