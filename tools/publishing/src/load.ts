import { run } from '@keepsake/testing/run';

/** The result of loading one entry point of an installed package. */
export interface Loaded {
  readonly names: readonly string[];
  /** The duration of one `import()` in a new process. */
  readonly importMs: number;
  /** Exports that differ between `require()` and `import`. */
  readonly differing: readonly string[];
}

/** Loads `specifier` in new processes, as programs in `project` would: by `import`, and by `require()` first. */
export async function load(specifier: string, project: string): Promise<Loaded> {
  const evaluate = async (type: 'module' | 'commonjs', code: string) =>
    JSON.parse(await run(process.execPath, [`--input-type=${type}`, '--eval', code, specifier], { cwd: project }));
  const { names, importMs } = await evaluate('module', IMPORT);
  const { differing } = await evaluate('commonjs', REQUIRE);
  return { names, importMs, differing };
}

const IMPORT = `
  const start = performance.now();
  const names = Object.keys(await import(process.argv[1]));
  console.log(JSON.stringify({ names, importMs: performance.now() - start }));
`;

const REQUIRE = `
  const required = require(process.argv[1]);
  import(process.argv[1]).then((imported) => {
    const names = new Set([...Object.keys(imported), ...Object.keys(required)]);
    names.delete('__esModule'); // added by Node for a module with a default export
    const differing = [...names].filter((name) => !(name in required) || required[name] !== imported[name]);
    console.log(JSON.stringify({ differing }));
  });
`;
