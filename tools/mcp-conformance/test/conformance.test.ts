// @module-tag nightly: installs the official suite.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpServer } from '@keepsake/mcp';
import { useDirectory } from '@keepsake/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { installOfficial, runOfficial } from '../src/official.ts';
import { serveOverHttp, serveOverStdio } from '../src/serve-memory.ts';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** The checks that don't apply to a memory server, by the reason. Those of HTTP alone are checked over HTTP. */
const NOT_APPLICABLE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../packages/mcp/conformance.json'), 'utf8'),
);

const directory = useDirectory();
let official: string;
beforeAll(async () => {
  official = await installOfficial();
}, 300_000);

const transports: Readonly<Record<string, () => Promise<HttpServer>>> = {
  HTTP: serveOverHttp,
  stdio: () => serveOverStdio(directory.path),
};

describe.each(Object.keys(transports))('over %s', (transport) => {
  it.each([
    ['2025-11-25', 12],
    ['2026-07-28', 40],
  ])('passes each check of %s that applies', { timeout: 300_000 }, async (version, least) => {
    const server = await transports[transport]?.();
    const results = join(directory.path, 'results');
    const args = ['server', '--url', String(server?.url), '--suite', 'all', '--spec-version', version, '-o', results];
    // Fails where a check fails, also one that does not apply.
    await runOfficial(join(official, 'conformance/dist/index.js'), args, directory.path).catch(({ code }) => {
      expect(code).toBe(1);
    });
    await server?.close();

    const checks = readdirSync(results).flatMap((scenario): Check[] =>
      JSON.parse(readFileSync(join(results, scenario, 'checks.json'), 'utf8')),
    );
    const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
    const reasons = { ...NOT_APPLICABLE.always, ...(transport === 'stdio' ? NOT_APPLICABLE.stdio : {}) };
    const excused = new Set(Object.values(reasons).flat());
    expect(failed.filter((id) => !excused.has(id))).toEqual([]);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(least);
    console.log(`${transport}, ${version}: ${new Set(failed).size} checks don't apply`, failed.join(' '));
  });
});
