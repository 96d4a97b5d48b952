/** A target that some projects have in Nx. */
export interface Target {
  readonly name: string;
  /** The target that Nx must run before, for all projects that have it. */
  readonly needs: string;
  /** The suffix of the file with the test results of a project. */
  readonly results?: string;
}

export const CHECK_PACKAGE: Target = { name: 'check:package', needs: 'build' };
export const TEST: Target = { name: 'test', needs: 'generate', results: '.json' };
export const TORTURE: Target = { name: 'test:torture', needs: 'generate', results: '.torture.json' };

export const FUZZ: Target = { name: 'test:fuzz', needs: 'generate', results: '.fuzz.json' };

/** A full torture run takes a quarter of an hour, so this runs a tenth. `npm run test:torture` runs everything. */
export const environment: NodeJS.ProcessEnv = { TORTURE_SHARE: '0.1', ...process.env };
