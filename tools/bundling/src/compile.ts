import { transform } from 'esbuild';
import type { Plugin } from 'rollup';

/** Compiles TypeScript to JavaScript for the lowest Node version that the packages support. */
export const compile: Plugin = {
  name: 'compile',
  async transform(text, path) {
    if (!path.endsWith('.ts')) return undefined;
    const { code } = await transform(text, { loader: 'ts', target: 'es2024', charset: 'utf8', sourcefile: path });
    return { code, map: null };
  },
};
