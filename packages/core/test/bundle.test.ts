import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildResult, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Bundle = BuildResult<{ write: false; metafile: true }>;

const directory = join(import.meta.dirname, '..');
const source = join(directory, 'src/index.ts');
const place = mkdtempSync(join(tmpdir(), 'keepsake-bundle-'));
/** All of the sources. */
let whole: Bundle;

beforeAll(async () => {
  writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module', sideEffects: false }));
  whole = await bundle(`export * from ${JSON.stringify(source)};`);
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

/** Limits in bytes. If a feature needs more, raise them by what it takes, and say why in the commit. */
const MOST = { whole: 126_500, manager: 118_500, contracts: 12_500, one: 600 };

const sizeOf = ({ outputFiles }: Bundle) => outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);

describe('the browser bundle', () => {
  it('is small and contains only sources of core and internal', () => {
    expect(whole.warnings).toEqual([]);
    expect(sizeOf(whole)).toBeLessThan(MOST.whole);
    const inputs = Object.keys(whole.metafile.inputs).filter((path) => path !== '<stdin>');
    expect(inputs.length).toBeGreaterThan(10);
    for (const path of inputs) expect(path).toMatch(/(core|internal|^)\/?src\/([a-z]+\/)*[a-z0-9-]+\.ts$/);
    const imports = Object.values(whole.metafile.inputs).flatMap((input) => input.imports);
    expect(imports.filter(({ path, external }) => external || isBuiltin(path))).toEqual([]);
    expect(Object.values(whole.metafile.outputs).flatMap((output) => output.imports)).toEqual([]);
  });

  it('uses no globals that exist only in Node', () => {
    const [file] = whole.outputFiles;
    // A property of the global object may be missing. A backslash follows a word of a pattern.
    const text = file?.text.replaceAll('globalThis.process', '');
    expect(text).not.toMatch(/\b(Buffer|process|require|__dirname|global|setImmediate)\b(?!\\)/);
  });

  it('leaves out unused parts of the sources', () => leavesOutUnusedParts(source));

  it('leaves out unused parts of code without module boundaries', async () => {
    const entryPoints = [source, join(directory, 'src/adapter.ts')];
    const outdir = join(place, 'joined');
    await build({
      entryPoints,
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      conditions: ['@keepsake/source'],
    });
    await leavesOutUnusedParts(join(outdir, 'index.js'));
  });

  it('leaves out unused parts of the published code', { tags: ['nightly'] }, async () => {
    const { bundleCode } = await import('@keepsake/bundling');
    mkdirSync(join(place, 'dist'));
    const files = await bundleCode(directory, ['dist/index.js', 'dist/adapter.js']);
    for (const { path, text } of files) writeFileSync(join(place, path), text);
    await leavesOutUnusedParts(join(place, 'dist/index.js'));
  });

  async function leavesOutUnusedParts(entry: string): Promise<void> {
    const one = await bundle(`import { isMemoryError } from ${JSON.stringify(entry)}; console.log(isMemoryError(1));`);
    const manager = await bundle(`export { MemoryManager } from ${JSON.stringify(entry)};`);
    const contracts = `export { MemoryError, isMemoryError, formatNamespace, parseNamespace, messageText }
      from ${JSON.stringify(entry)};
      export { LIMITS, isWithin, parseFilter, matchesFilter, encodeJson, checkId, uuidv7, prepareRecord }
      from ${JSON.stringify(entry.replace('index.', 'adapter.'))};`;
    const sizes = { one: sizeOf(one), manager: sizeOf(manager), contracts: sizeOf(await bundle(contracts)) };
    const isLarger = (part: keyof typeof sizes) => sizes[part] > MOST[part];
    expect(Object.keys(sizes).filter((part) => isLarger(part as keyof typeof sizes))).toEqual([]);
    const types = await bundle(
      `import type { RecordStore } from ${JSON.stringify(entry)}; export type Store = RecordStore;`,
    );
    expect(sizeOf(types)).toBe(0);
    const nothing = await bundle(`import ${JSON.stringify(entry)};`);
    expect(sizeOf(nothing)).toBe(0);
  }

  it('runs with Web APIs only', async () => {
    const [file] = whole.outputFiles;
    const url = `data:text/javascript;base64,${Buffer.from(file?.contents ?? []).toString('base64')}`;
    const core = (await import(url)) as typeof import('../src/index.ts');
    expect(core.parseNamespace('u:alice')).toEqual(['u', 'alice']);
    expect(core.isMemoryError(new core.MemoryError('CLOSED', 'Closed.'), 'CLOSED')).toBe(true);
  });
});
