// `npm run bench`: measures Keepsake next to the raw limit and its peers, and prints one table per area.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Area, Outcome } from './area.ts';
import { files } from './files/files.ts';
import { guard } from './guard/guard.ts';
import { injected } from './injected/injected.ts';
import { langgraph } from './langgraph/langgraph.ts';
import { lost } from './lost/lost.ts';
import { machine } from './machine.ts';
import { manager } from './manager/manager.ts';
import { installPeers } from './peers.ts';
import { postgres } from './postgres/postgres.ts';
import { prisma } from './prisma/prisma.ts';
import { recall } from './recall/recall.ts';
import { redaction } from './redaction/redaction.ts';
import { redis } from './redis/redis.ts';
import { BACKENDS } from './scale/backends/backends.ts';
import { scale } from './scale/scale.ts';
import { search } from './search/search.ts';
import { sessions } from './sessions/sessions.ts';
import { sqlite } from './sqlite/sqlite.ts';
import { weights } from './weights/weights.ts';
import { workspace } from './workspace/workspace.ts';

const AREAS: Readonly<Record<string, Area>> = {
  sessions,
  files,
  redis,
  postgres,
  prisma,
  sqlite,
  search,
  manager,
  scale,
  workspace,
  redaction,
  langgraph,
  lost,
  recall,
  injected,
  weights,
  guard,
};

const help = `Usage: npm run bench -- [areas] [options]
  areas         any of ${Object.keys(AREAS).join(', ')}; by default, all but guard whose data is available
  --data DIR    data for recall, injected and weights: ${recall.data}; several for one table of recall, and for weights
  --only NAMES  for scale: some of ${Object.keys(BACKENDS).join(', ')}, with commas between them
  --records N   for scale: at most this many records
  --json FILE   also write the results to FILE
  --quick       small sizes and no peers: only checks that the benchmark works, its figures are meaningless`;

const { names, skipped, json, quick, data, only, maxRecords } = readArguments();
const where = machine();
console.log(`${where.date}, Node ${where.node}, ${where.platform}, ${where.cpus} CPUs: ${where.cpu}`);
console.log(`Keepsake ran from its ${where.keepsake}. Times are medians over rounds, ± half the interquartile range.`);
for (const name of skipped) say(`${name} is skipped: its data is not in the repository, see --data`);
if (!quick && names.some((name) => !AREAS[name]?.withoutPeers)) installPeers(say);
const results: Record<string, unknown> = {};
for (const name of names) {
  const area = AREAS[name] as Area;
  const { text, json, failed = false } = await runArea(name, area);
  console.log(`\n## ${area.title}\n\n${text}`);
  results[name] = json;
  if (failed) process.exitCode = 1;
}
if (json !== undefined) {
  writeFileSync(resolve(callersDirectory(), json), `${JSON.stringify({ ...where, areas: results }, null, 2)}\n`);
}

async function runArea(name: string, area: Area): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-bench-'));
  try {
    const given = { ...(data && { data }), ...(only && { only }), ...(maxRecords && { maxRecords }) };
    return await area.run({ quick, directory, ...given, say: (what) => say(`${name}: ${what}`) });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Printed to stderr, so that stdout contains only the tables. */
function say(what: string): void {
  console.error(`… ${what}`);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        data: { type: 'string', multiple: true },
        json: { type: 'string' },
        only: { type: 'string' },
        records: { type: 'string' },
        quick: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) {
      console.log(help);
      process.exit(0);
    }
    const unknown = positionals.find((name) => !Object.hasOwn(AREAS, name));
    if (unknown !== undefined) throw new Error(`Unknown area: ${unknown}.`);
    const data = values.data?.map((path) => resolve(callersDirectory(), path));
    const missing = data?.findIndex((path) => !statSync(path, { throwIfNoEntry: false })?.isDirectory()) ?? -1;
    if (missing !== -1) throw new Error(`--data is not a directory: ${values.data?.[missing]}`);
    if (data !== undefined && data.length > 1 && positionals.some((name) => name !== 'recall' && name !== 'weights')) {
      throw new Error('Only recall and weights take several --data.');
    }
    const lacksData = (name: string) => AREAS[name]?.data !== undefined && data === undefined;
    const lacking = positionals.find(lacksData);
    if (lacking !== undefined) throw new Error(`${lacking} needs --data DIR: ${AREAS[lacking]?.data}.`);
    const all = Object.keys(AREAS).filter((name) => !AREAS[name]?.onlyByName);
    return {
      names: positionals.length > 0 ? positionals : all.filter((name) => !lacksData(name)),
      skipped: positionals.length > 0 ? [] : all.filter(lacksData),
      data,
      only: checkOnly(values.only),
      maxRecords: checkRecords(values.records),
      json: values.json,
      quick: values.quick ?? false,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}

function checkOnly(names: string | undefined): readonly string[] | undefined {
  const only = names?.split(',');
  const unknown = only?.find((name) => !Object.hasOwn(BACKENDS, name));
  if (unknown !== undefined) throw new Error(`Unknown backend: ${unknown}.`);
  return only;
}

function checkRecords(number: string | undefined): number | undefined {
  if (number === undefined) return undefined;
  const records = Number(number);
  if (!(records > 0)) throw new Error(`--records must be a number above 0, got ${number}.`);
  return records;
}

/** The user's directory: npm runs scripts in the folder of the project and sets INIT_CWD to where it was called. */
function callersDirectory(): string {
  return process.env.INIT_CWD ?? process.cwd();
}
