import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCode } from '@keepsake/bundling';
import { type BuildResult, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Bundle = BuildResult<{ write: false; metafile: true }>;

const directory = join(import.meta.dirname, '..');
const source = join(directory, 'src/index.ts');
const place = mkdtempSync(join(tmpdir(), 'keepsake-bundle-'));
/** The one file that npm gets, which bundlers can't take apart by its modules. */
const published = join(place, 'index.js');

beforeAll(async () => {
  const [file] = await bundleCode(directory, ['dist/index.js']);
  writeFileSync(published, file?.text ?? '');
  writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module', sideEffects: false }));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Bundles for a browser, where an import of a Node built-in fails the build. */
function bundle(code: string): Promise<Bundle> {
  return build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: 'ts' },
    platform: 'browser',
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
    conditions: ['@keepsake/source'],
  });
}

const sizeOf = ({ outputFiles }: Bundle) => outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);

describe('the bundle for a browser', () => {
  it('is less than 76,000 bytes, of sources of this package alone', async () => {
    const result = await bundle(`export * from ${JSON.stringify(source)};`);
    expect(result.warnings).toEqual([]);
    expect(sizeOf(result)).toBeLessThan(76_000);
    const inputs = Object.keys(result.metafile.inputs).filter((path) => path !== '<stdin>');
    expect(inputs.length).toBeGreaterThan(10);
    for (const path of inputs) expect(path).toMatch(/(^|\/)src\/(manager\/)?[a-z0-9-]+\.ts$/);
    const imports = Object.values(result.metafile.inputs).flatMap((input) => input.imports);
    expect(imports.filter(({ path, external }) => external || isBuiltin(path))).toEqual([]);
    expect(Object.values(result.metafile.outputs).flatMap((output) => output.imports)).toEqual([]);
  });

  it('names no global that only Node has', async () => {
    const [file] = (await bundle(`export * from ${JSON.stringify(source)};`)).outputFiles;
    expect(file?.text).not.toMatch(/\b(Buffer|process|require|__dirname|global|setImmediate)\b/);
  });

  it.each(['sources', 'what is published'])('leaves out what is not used, of %s', async (kind) => {
    const entry = kind === 'sources' ? source : published;
    const one = await bundle(`import { isMemoryError } from ${JSON.stringify(entry)}; console.log(isMemoryError(1));`);
    expect(sizeOf(one)).toBeLessThan(1_100);
    const manager = await bundle(`export { MemoryManager } from ${JSON.stringify(entry)};`);
    expect(sizeOf(manager)).toBeLessThan(60_000);
    const contracts = `MemoryError, isMemoryError, LIMITS, formatNamespace, parseNamespace, isWithin, parseFilter,
      matchesFilter, encodeJson, messageText, checkId, uuidv7, prepareRecord`;
    expect(sizeOf(await bundle(`export { ${contracts} } from ${JSON.stringify(entry)};`))).toBeLessThan(9_000);
    const types = await bundle(
      `import type { RecordStore } from ${JSON.stringify(entry)}; export type Store = RecordStore;`,
    );
    expect(sizeOf(types)).toBe(0);
    const nothing = await bundle(`import ${JSON.stringify(entry)};`);
    expect(sizeOf(nothing)).toBe(0);
  });

  it('runs where there is nothing but Web APIs', async () => {
    const [file] = (await bundle(`export * from ${JSON.stringify(source)};`)).outputFiles;
    const url = `data:text/javascript;base64,${Buffer.from(file?.contents ?? []).toString('base64')}`;
    const core = (await import(url)) as typeof import('../src/index.ts');
    expect(core.parseNamespace('user:alice')).toEqual(['user', 'alice']);
    expect(core.isMemoryError(new core.MemoryError('CLOSED', 'Closed.'), 'CLOSED')).toBe(true);
  });
});
