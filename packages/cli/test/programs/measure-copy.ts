// Measures `keepsake copy` between two backends, killed three times and resumed, and without a kill:
// node --conditions=@keepsake/source packages/cli/test/programs/measure-copy.ts redis sqlite [records] [sessions]
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { BACKENDS, type Place } from '../copy/backends.ts';
import { type Ended, keepsakeProcess } from '../keepsake.ts';

const INSTALLED = join(import.meta.dirname, '../../../../node_modules');
const [fromName = 'file', toName = 'sqlite', records = '100000', sessions = '1000'] = process.argv.slice(2);
const counts = { records: Number(records), sessions: Number(sessions) };
/** A tenth of the records are in the root, the others those of nine users. */
const NAMESPACES = 10;
const BATCH = 1_000;
const ITEMS = 10;

await main();

async function main(): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'keepsake-copy-'));
  const newDirectory = () => mkdtempSync(join(cwd, 'place-'));
  const [from, to] = await Promise.all([startBackend(fromName, newDirectory), startBackend(toName, newDirectory)]);
  symlinkSync(INSTALLED, join(cwd, 'node_modules'));
  try {
    const source = await from.place();
    await fill(source);
    const killed = await to.place();
    for (const diesAfter of killsFor(counts)) await copy(cwd, source, killed, diesAfter);
    const resumed = await copy(cwd, source, killed);
    const whole = await copy(cwd, source, await to.place());
    const isSame = resumed.digest === whole.digest ? 'equal digests' : 'DIFFERENT digests';
    const perSecond = Math.round(counts.records / whole.seconds).toLocaleString('en');
    console.log(`| ${fromName} | ${toName} | ${whole.seconds.toFixed(1)} s | ${perSecond} | ${isSame} |`);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
    await Promise.all([from.stop(), to.stop()]);
  }
}

/** Twice while it copies records, and once while it copies sessions. */
function killsFor({ records, sessions }: typeof counts): string[] {
  const puts = Math.ceil(records / 500);
  return [`putMany ${Math.ceil(puts / 3)}`, `putMany ${Math.ceil(puts / 3)}`, `addItems ${Math.ceil(sessions / 2)}`];
}

function startBackend(name: string, newDirectory: () => string) {
  const start = BACKENDS[name];
  if (start === undefined) throw new Error(`No backend ${name}. There are ${Object.keys(BACKENDS).join(', ')}.`);
  return start(newDirectory);
}

async function fill({ store, sessions: sessionStore }: Place): Promise<void> {
  for (let part = 0; part < NAMESPACES; part++) {
    const within = part === 0 ? store : store.within(['user', `user-${part}`]);
    for (let at = 0; at < counts.records / NAMESPACES; at += BATCH) {
      await within.putMany(
        Array.from({ length: Math.min(BATCH, counts.records / NAMESPACES - at) }, (_, index) => ({
          id: `memory-${part}-${at + index}`,
          content: `Guest ${part}-${at + index} left the key ${index % 2 === 0 ? 'under the fern' : 'behind the clock'}.`,
          metadata: { room: index % 40, topic: 'keys' },
          turn: { thread: `chat-${part}`, index: at + index, speaker: 'user' },
        })),
      );
    }
  }
  for (let number = 0; number < counts.sessions; number++) {
    const item = (at: number) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `Line ${at} of ${number}` });
    await sessionStore.open(`session-${number}`).addItems(Array.from({ length: ITEMS }, (_, at) => item(at)));
  }
}

async function copy(cwd: string, from: Place, to: Place, diesAfter = '') {
  writeFileSync(join(cwd, 'from.config.mts'), from.config);
  writeFileSync(join(cwd, 'to.config.mts'), to.config);
  const start = performance.now();
  const ended = await keepsakeProcess(['copy', '--from', 'from.config.mts', '--to', 'to.config.mts', '--json'], {
    cwd,
    env: { NODE_NO_WARNINGS: '1', DIES_AFTER: diesAfter },
  });
  const seconds = (performance.now() - start) / 1_000;
  if (diesAfter !== '') {
    if (ended.signal !== 'SIGKILL') throw new Error(`Not killed after ${diesAfter}: ${ended.stderr}`);
    return { seconds, digest: '' };
  }
  return { seconds, digest: digestIn(ended) };
}

/** The digest of everything; throws unless all of it is the same. */
function digestIn({ exitCode, stdout, stderr }: Ended): string {
  if (exitCode !== 0) throw new Error(stderr || stdout);
  const { verified } = JSON.parse(stdout);
  const isWhole = verified.records === counts.records && verified.sessions === counts.sessions;
  if (!isWhole) throw new Error(`Copied ${verified.records} records and ${verified.sessions} sessions only.`);
  return verified.digest;
}
