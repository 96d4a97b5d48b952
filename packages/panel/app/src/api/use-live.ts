import { useEffect, useRef } from 'preact/hooks';
import { LIMITS, type Live, PATHS, type RecordRow, type RecordState, type SeenRecords } from '../../../src/protocol.ts';
import { get } from './client.ts';

const EVERY_MS = 2_000;

/** The records on the screen go into an address, which servers limit to 16 kB with the headers. */
const MAX_SEEN_LENGTH = 8_000;

/** A record on the screen, as far as the page knows it. */
export type SeenRow = Pick<RecordRow, 'namespace' | 'id' | 'version' | 'updatedAt' | 'validUntil'>;

interface LiveOptions {
  readonly namespace: string;
  readonly descendants: boolean;
  /** What is on the screen now. */
  readonly seen: () => readonly SeenRow[];
  readonly changed: () => void;
}

/** Calls `changed` when records appeared or went, and when one on the screen changed, also through other processes. */
export function useLive(options: LiveOptions): void {
  const { namespace, descendants } = options;
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    const controller = new AbortController();
    let mark: string | undefined;
    // What the page was told of each record, so that it is told once.
    let told: ReadonlyMap<string, string> = new Map();
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      // A hidden page asks nothing. It looks at once when it is shown again.
      if (document.visibilityState === 'visible') {
        const rows = shortened(latest.current.seen());
        const query = { namespace, descendants, seen: seenJson(rows) };
        const live = await get<Live>(PATHS.live, query, controller.signal).catch(() => undefined);
        if (controller.signal.aborted) return;
        if (live !== undefined) {
          const toldTexts = told;
          told = new Map(rows.map((row, index) => [keyOf(row), JSON.stringify(live.seen[index])]));
          const hasNews = rows.some((row, index) => isNews(row, live.seen[index] ?? null, toldTexts.get(keyOf(row))));
          if (hasNews || (mark !== undefined && live.mark !== mark)) latest.current.changed();
          mark = live.mark;
        }
      }
      timer = setTimeout(look, EVERY_MS);
    };
    void look();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [namespace, descendants]);
}

function isNews(row: SeenRow, state: RecordState | null, told: string | undefined): boolean {
  if (told !== undefined) return told !== JSON.stringify(state);
  // A row of a search has no version, and an open record is known by its id alone.
  if (row.version === undefined) return row.updatedAt !== undefined && row.updatedAt !== state?.updatedAt;
  return row.version !== state?.version || row.updatedAt !== state.updatedAt || row.validUntil !== state.validUntil;
}

/** As many of the rows as fit into an address. */
function shortened(rows: readonly SeenRow[]): readonly SeenRow[] {
  let length = 0;
  const fits = (row: SeenRow) => {
    length += encodeURIComponent(JSON.stringify([row.namespace, row.id])).length;
    return length <= MAX_SEEN_LENGTH;
  };
  const end = rows.findIndex((row) => !fits(row));
  return rows.slice(0, Math.min(LIMITS.seenRecords, end === -1 ? rows.length : end));
}

/** The rows in their order: neighbours of one namespace share its name. */
function seenJson(rows: readonly SeenRow[]): string {
  const groups: [namespace: string, ids: string[]][] = [];
  for (const { namespace, id } of rows) {
    const group = groups.at(-1);
    if (group?.[0] === namespace) group[1].push(id);
    else groups.push([namespace, [id]]);
  }
  return JSON.stringify(groups satisfies SeenRecords);
}

function keyOf({ namespace, id }: SeenRow): string {
  return `${namespace}\n${id}`;
}
