/** The two functions of a test runner that the kit needs. Those of Vitest, Jest, Mocha and `node:test` fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: ((name: string, body: () => Promise<void>) => unknown) & {
    readonly skip: (name: string, body: () => Promise<void>) => unknown;
  };
}

/** One promise of a contract, with its test. */
export interface Case<Harness, Capabilities> {
  /** The promise as a sentence. Unique within its kit. */
  readonly title: string;
  /** Which backends make this promise; missing = all. If only some do, an opposite case shows that the others refuse it. */
  readonly when?: (capabilities: Capabilities) => boolean;
  /** Rejects if the promise is broken. */
  run(harness: Harness, capabilities: Capabilities): Promise<void>;
}

/** Cases about one concern. */
export interface CaseGroup<Harness, Capabilities> {
  readonly concern: string;
  readonly cases: readonly Case<Harness, Capabilities>[];
}

/** A backend under test. */
export interface Subject<Harness, Capabilities> extends TestRunner {
  /** Names the backend in the report. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Creates an empty place for a test. Called once per case, so that cases share no data. */
  readonly harness: () => Harness | Promise<Harness>;
  /**
   * Registers only the cases about these concerns, by the names in the report: for a variant of a backend that passes all
   * cases, such as another client or an embedder, the concerns that the variant can change.
   *
   * @default every concern
   * @throws Error if the kit has no concern of that name.
   */
  readonly concerns?: readonly string[];
}

/** A place to test in. */
export interface Closable {
  /** Removes what the harness created. Called once, even if the case failed. */
  close?(): void | Promise<void>;
}

/** Registers every case with the test runner. A case that the backend does not promise shows as skipped. */
export function describeCases<Harness extends Closable, Capabilities>(
  kit: string,
  groups: readonly CaseGroup<Harness, Capabilities>[],
  subject: Subject<Harness, Capabilities>,
): void {
  const { concerns = groups.map(({ concern }) => concern) } = subject;
  const unknown = concerns.find((name) => !groups.some(({ concern }) => concern === name));
  if (unknown !== undefined) {
    const names = groups.map(({ concern }) => concern).join(', ');
    throw new Error(`The kit has no concern "${unknown}" for a ${kit}. It has: ${names}.`);
  }
  subject.describe(`${subject.name} as a ${kit}`, () => {
    for (const { concern, cases } of groups.filter((group) => concerns.includes(group.concern))) {
      subject.describe(concern, () => {
        for (const one of cases) registerCase(one, subject);
      });
    }
  });
}

function registerCase<Harness extends Closable, Capabilities>(
  one: Case<Harness, Capabilities>,
  subject: Subject<Harness, Capabilities>,
): void {
  const promised = one.when?.(subject.capabilities) ?? true;
  const register = promised ? subject.it : subject.it.skip;
  register(one.title, async () => {
    const harness = await subject.harness();
    try {
      await one.run(harness, subject.capabilities);
    } finally {
      await harness.close?.();
    }
  });
}
