import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('is code for browsers, without modules and globals that only Node has', async () => {
  const { outputFiles, warnings } = await build({
    entryPoints: [new URL('../src/index.ts', import.meta.url).pathname],
    // A module of Node fails the build.
    platform: 'browser',
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
    logLevel: 'silent',
    conditions: ['@keepsake/source'],
  });
  expect(warnings).toEqual([]);
  const text = outputFiles[0]?.text ?? '';
  expect(text.length).toBeLessThan(86_000);
  // A property of the global object may be missing. A backslash follows a word of a pattern.
  expect(text.replaceAll('globalThis.process', '')).not.toMatch(
    /\b(Buffer|process|require|__dirname|global|setImmediate)\b(?!\\)/,
  );
});
