import { describeWholeKit, type TestRunner, type WholeBackend } from '@keepsake/suites/whole-kit';

/** A case of the kit, for runtimes without a test runner. */
interface CollectedCase {
  readonly title: string;
  run(): Promise<void>;
}

/** What came out of the kit for a backend. */
export interface KitResult {
  readonly backend: string;
  readonly passed: number;
  readonly skipped: number;
  /** Which cases failed, and why. */
  readonly failures: readonly string[];
}

/** A backend as the kit needs it, without a test runner. */
export type Backend = Omit<WholeBackend, keyof TestRunner>;

/** The cases of the whole kit for a backend, and how many are skipped. */
export function collectCases(backend: Backend): { readonly cases: readonly CollectedCase[]; readonly skipped: number } {
  const [path, cases]: [string[], CollectedCase[]] = [[], []];
  let skipped = 0;
  const it = (title: string, run: () => Promise<void>) => {
    cases.push({ title: [...path, title].join(' > '), run });
  };
  describeWholeKit({
    ...backend,
    describe(title, body) {
      path.push(title);
      body();
      path.pop();
    },
    it: Object.assign(it, { skip: () => void skipped++ }),
  });
  return { cases, skipped };
}

/** Runs cases one after the other. */
export async function runCases(
  backend: Backend,
  run = (_: number, one: CollectedCase) => one.run(),
): Promise<KitResult> {
  const { cases, skipped } = collectCases(backend);
  const failures: string[] = [];
  for (const [number, one] of cases.entries()) {
    await run(number, one).catch((error) => {
      failures.push(`${one.title}: ${chainOf(error)}`);
    });
  }
  return { backend: backend.name, passed: cases.length - failures.length, skipped, failures };
}

/** An error with its causes. */
function chainOf(error: unknown): string {
  return error instanceof Error
    ? `${error.stack}${error.cause ? `\ncaused by ${chainOf(error.cause)}` : ''}`
    : `${error}`;
}

/** Runs the whole kit for each backend, and prints a line of JSON for each. */
export async function runKits(backends: readonly Backend[]): Promise<void> {
  for (const backend of backends) console.log(JSON.stringify(await runCases(backend)));
  process.exit();
}
