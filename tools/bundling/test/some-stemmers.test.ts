import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { newStemmer } from 'snowball-stemmers';
import { describe, expect, it } from 'vitest';
import { bundleCode } from '../src/index.ts';

const directory = useDirectory();
const words =
  'running houses sommes maisons chiens häuser liefen perros corriendo cantavano huizen cachorros собаки бежали'.split(
    ' ',
  );

async function bundled(): Promise<{ text: string; newStemmer: typeof newStemmer }> {
  mkdirSync(join(directory.path, 'src'));
  writeFileSync(join(directory.path, 'package.json'), '{}');
  writeFileSync(join(directory.path, 'src/index.ts'), "export { newStemmer } from 'snowball-stemmers';");
  const [file] = await bundleCode(directory.path, ['dist/index.js']);
  const text = file?.text ?? '';
  return { text, ...(await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)) };
}

describe('the bundled stemmers', () => {
  it('return the same as those of the library', async () => {
    const bundle = await bundled();
    for (const algorithm of ['dutch', 'english', 'french', 'german', 'italian', 'portuguese', 'russian', 'spanish']) {
      const [one, other] = [bundle.newStemmer(algorithm), newStemmer(algorithm)];
      expect(words.map((word) => one.stem(word))).toEqual(words.map((word) => other.stem(word)));
    }
  });

  it('are the used ones with their licence, a sixth of the library', async () => {
    const { text, newStemmer: bundledStemmer } = await bundled();
    const library = readFileSync(createRequire(import.meta.url).resolve('snowball-stemmers'), 'utf8');

    expect(() => bundledStemmer('turkish')).toThrow();
    expect(text).toContain('Copyright (c) 2018, Oleg Mazko.');
    expect(text.length).toBeLessThan(library.length / 6);
  });
});
