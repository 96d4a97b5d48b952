// Scrolls through many records in the browser, from the newest to the oldest, and measures how smooth that is:
//
//   node --conditions=@keepsake/source packages/panel/test/programs/scroll.ts [records] [backend] [pixels per frame]
import { loadavg } from 'node:os';
import { openBrowser, type Page } from '@keepsake/browser';
import { OpenedConfig } from '@keepsake/config';
import { servePanel } from '../../src/index.ts';
import { builtApp } from '../browser/built-app.ts';
import { backends } from '../support/backends.ts';
import { writeManyRecords } from '../support/many-records.ts';

const [count = '100000', name = 'files', speed = '400'] = process.argv.slice(2);
const RECORDS = Number(count);
const MAX_SECONDS = 120;

const backend = backends.find((one) => one.name === name);
if (backend === undefined) throw new Error(`Pass one of: ${backends.map((one) => one.name).join(', ')}`);
builtApp();
await backend.start?.();
const config = new OpenedConfig(backend.makePlace(), { path: 'the measurement' });
await writeManyRecords((await config.memory()).within(['u', 'alice']), RECORDS);
const panel = await servePanel(config, {});
const browser = await openBrowser();
try {
  const { page } = await browser.open({ viewport: { width: 1_440, height: 900 } });
  await page.goto(panel.url);
  await page.waitForURL((url) => !url.search.includes('token'));
  await page.evaluate(() => location.assign('#/memories?ns=u:alice'));
  await page.locator('.rows .line').first().waitFor();
  // What other programs of the machine do to a page that does nothing.
  const atRest = await scrollDown(page, 0);
  const { result, longestTaskCpuMs } = await traced(page, () => scrollDown(page, Number(speed)));
  const { frames, rows, gaps, longTasks } = result;
  console.log(`${name}: scrolled ${rows} of ${RECORDS} rows in ${frames} frames of ${speed} px`);
  console.log(
    `  load of the machine: ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}`,
  );
  console.log(`  between frames: ${describe(gaps)}; of a page at rest: ${describe(atRest.gaps)}`);
  console.log(`  tasks over 50 ms: ${longTasks.length}, longest ${Math.max(0, ...longTasks).toFixed(0)} ms`);
  console.log(`  longest task by the clock of its thread: ${longestTaskCpuMs.toFixed(0)} ms`);
} finally {
  await browser.close();
  await panel.close();
  await config.close();
  await backend.stop?.();
}

function describe(gaps: readonly number[]): string {
  const sorted = gaps.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  return `median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`;
}

interface Scrolled {
  readonly frames: number;
  readonly rows: number;
  /** Milliseconds from each frame to the next. */
  readonly gaps: number[];
  /** Milliseconds of each task over 50 ms. */
  readonly longTasks: number[];
}

/** Scrolls a step in each frame, until the end of the list or for two minutes. */
function scrollDown(page: Page, step: number): Promise<Scrolled> {
  return page.evaluate(
    async ([step, seconds]) => {
      const table = document.querySelector('.table') as HTMLElement;
      const longTasks: number[] = [];
      const observer = new PerformanceObserver((list) => {
        longTasks.push(...list.getEntries().map(({ duration }) => duration));
      });
      observer.observe({ type: 'longtask' });
      const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      const gaps: number[] = [];
      const start = await nextFrame();
      let before = start;
      // A list whose next page is on its way has an end for a moment.
      for (let still = 0; still < 120 && before - start < seconds * 1_000; ) {
        const top = table.scrollTop;
        table.scrollTop += step;
        const now = await nextFrame();
        gaps.push(now - before);
        before = now;
        still = table.scrollTop === top ? still + 1 : 0;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
      observer.disconnect();
      const rows = Math.round((table.scrollTop + table.clientHeight) / 36);
      return { frames: gaps.length, rows, gaps, longTasks };
    },
    [step, MAX_SECONDS] as const,
  );
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds by the clock of the thread, which other processes don't change. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Does `work`, and tells how long the longest task of the page took of its thread. */
async function traced<T>(page: Page, work: () => Promise<T>): Promise<{ result: T; longestTaskCpuMs: number }> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'], excludedCategories: ['*'] } });
  const result = await work();
  await session.send('Tracing.end');
  await complete;
  const isMain = (event: TraceEvent) => event.name === 'thread_name' && event.args?.name === 'CrRendererMain';
  const threads = new Set(events.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = events.filter(({ pid, tid, tdur }) => tdur !== undefined && threads.has(`${pid} ${tid}`));
  return { result, longestTaskCpuMs: tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0) / 1_000 };
}
