import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Prints the figures of each test when it has ended, and all of them as a table at the end, which it also writes to a file. */
export class Table implements Reporter {
  readonly #path: string;
  readonly #title: string;
  #vitest: Vitest | undefined;

  constructor(path: string, title: string) {
    this.#path = path;
    this.#title = title;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    for (const [line] of rowOf(test)) this.#vitest?.logger.log(line);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap((module) => [...module.children.allTests()].flatMap(rowOf));
    // Of several tests of one line, in the order of their words, so that two runs can be compared.
    rows.sort(([a = ''], [b = '']) => a.localeCompare(b, 'en', { numeric: true }));
    const text = `${[this.#title, '', ...rows.flat()].join('\n')}\n`;
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#path, text);
    this.#vitest?.logger.log(`\n${text}`);
  }
}

/** The lines of a test: what it has shown, or that it has failed; none where it is of no line. */
function rowOf(test: TestCase): string[][] {
  const { figures } = test.meta();
  const failed = test.result().state === 'failed';
  if (failed) return [[`FAILED  ${figures?.line ?? ''}  ${test.fullName}`]];
  if (figures === undefined) return [];
  const { line, text, details } = figures;
  return [[`${String(line).padStart(2)}  ${text}`, ...details.map((detail) => `      ${detail}`)]];
}
