import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { installedWith, readEntries } from '../src/entries.ts';

const directory = useDirectory();

function write(manifest: object): void {
  writeFileSync(join(directory.path, 'package.json'), JSON.stringify(manifest));
}

describe('readEntries', () => {
  it('finds the files of exports and bin in dist, once each', () => {
    const a = { '@keepsake/source': './src/a.ts', types: './dist/a.d.ts', default: './dist/a.js' };
    const b = { node: { default: './dist/b.js' }, default: './dist/a.js' };
    write({ exports: { '.': a, './b': b, './package.json': './package.json' }, bin: { c: './dist/c.js' } });

    expect(readEntries(directory.path)).toEqual({
      code: ['dist/a.js', 'dist/b.js', 'dist/c.js'],
      types: ['dist/a.d.ts'],
    });
  });

  it('finds the only entry of a package', () => {
    write({ exports: './dist/a.js' });

    expect(readEntries(directory.path)).toEqual({ code: ['dist/a.js'], types: [] });
  });
});

describe('installedWith', () => {
  it('ignores devDependencies', () => {
    write({ dependencies: { a: '1' }, peerDependencies: { b: '1' }, devDependencies: { c: '1' } });

    expect(installedWith(directory.path)).toEqual(['a', 'b']);
  });
});
