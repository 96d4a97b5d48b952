// `npm run bench`: measures Keepsake beside the raw limit and its peers, and prints one table an area.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Area } from './area.ts';
import { files } from './files/files.ts';
import { machine } from './machine.ts';
import { installPeers } from './peers.ts';
import type { Row } from './row.ts';
import { sessions } from './sessions/sessions.ts';
import { table } from './table.ts';

const AREAS: Readonly<Record<string, Area>> = { sessions, files };

const help = `Usage: npm run bench -- [areas] [options]
  areas         of ${Object.keys(AREAS).join(', ')}; all by default
  --json FILE   also writes the results there
  --quick       small and without peers: shows that the benchmark works; its figures mean nothing`;

const { names, json, quick } = readArguments();
const where = machine();
console.log(`${where.date}, Node ${where.node}, ${where.platform}, ${where.cpus} CPUs: ${where.cpu}`);
console.log(`Keepsake: its ${where.keepsake}. Times are medians over rounds, ± half of the middle half.`);
if (!quick) installPeers(say);
const results: Record<string, Row[]> = {};
for (const name of names) {
  const area = AREAS[name] as Area;
  const rows = await runArea(name, area);
  console.log(`\n## ${area.title}\n\n${table(rows)}`);
  results[name] = rows;
}
if (json !== undefined) {
  writeFileSync(resolve(callersDirectory(), json), `${JSON.stringify({ ...where, areas: results }, null, 2)}\n`);
}

async function runArea(name: string, area: Area): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-bench-'));
  try {
    return await area.run({ quick, directory, say: (what) => say(`${name}: ${what}`) });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** On the other stream, so that the output is the tables. */
function say(what: string): void {
  console.error(`… ${what}`);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'string' }, quick: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) {
      console.log(help);
      process.exit(0);
    }
    const unknown = positionals.find((name) => !Object.hasOwn(AREAS, name));
    if (unknown !== undefined) throw new Error(`There is no area ${unknown}.`);
    return {
      names: positionals.length > 0 ? positionals : Object.keys(AREAS),
      json: values.json,
      quick: values.quick ?? false,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}

/** Where the user is: npm runs scripts in the folder of the project, and leaves a note of where it was called. */
function callersDirectory(): string {
  return process.env.INIT_CWD ?? process.cwd();
}
