import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Prints the figures of each test when it ends, and prints and writes a table of all of them at the end. */
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
    // Several tests of one line are sorted by text, so that two runs are comparable.
    rows.sort(([a = ''], [b = '']) => a.localeCompare(b, 'en', { numeric: true }));
    const text = `${[this.#title, '', ...rows.flat()].join('\n')}\n`;
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#path, text);
    this.#vitest?.logger.log(`\n${text}`);
  }
}

/** The table lines of a test: its figures or its failure; none if it belongs to no line. */
function rowOf(test: TestCase): string[][] {
  const { figures } = test.meta();
  const failed = test.result().state === 'failed';
  if (failed) return [[`FAILED  ${figures?.line ?? ''}  ${test.fullName}`]];
  if (figures === undefined) return [];
  const { line, text, details } = figures;
  return [[`${String(line).padStart(2)}  ${text}`, ...details.map((detail) => `      ${detail}`)]];
}
