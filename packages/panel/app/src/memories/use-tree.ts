import { useCallback, useEffect, useState } from 'preact/hooks';
import { type NamespaceKind, type NamespaceLevel, type NamespaceNode, PATHS } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { asError } from '../api/use-loaded.ts';

/** A visible line of the tree. */
export interface TreeLine {
  readonly key: string;
  /** The namespace; of a line for more, the parent. */
  readonly name: string;
  readonly label: string;
  readonly depth: number;
  readonly count: number;
  readonly countMore: boolean;
  readonly childCount: number;
  readonly kind: NamespaceKind | undefined;
  /** `undefined` where nothing is below. */
  readonly isOpen: boolean | undefined;
  /** Whether it loads more of its parent. */
  readonly more: boolean;
}

interface Level {
  readonly parent: NamespaceNode;
  readonly items: readonly NamespaceNode[];
  readonly cursor: string | undefined;
}

export interface Tree {
  readonly lines: readonly TreeLine[];
  readonly error: Error | undefined;
  open(name: string): void;
  close(name: string): void;
  loadMore(name: string): void;
  reload(): void;
}

const PAGE = 100;

/** The tree as it is opened: the way to `current`, and what the reader opened. */
export function useTree(current: string, changes: number): Tree {
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set(['', ...ancestorsOf(current)]));
  const [levels, setLevels] = useState<ReadonlyMap<string, Level>>(new Map());
  const [error, setError] = useState<Error>();

  const load = useCallback(async (name: string, cursor?: string) => {
    try {
      const level = await get<NamespaceLevel>(PATHS.namespaces, { parent: name, cursor, limit: PAGE });
      setError(undefined);
      setLevels((before) => {
        const shown = cursor === undefined ? [] : (before.get(name)?.items ?? []);
        return new Map(before).set(name, { ...level, items: [...shown, ...level.items], cursor: level.cursor });
      });
    } catch (failure) {
      setError(asError(failure));
    }
  }, []);
  const reload = useCallback(() => {
    for (const name of opened) void load(name);
  }, [opened, load]);

  useEffect(reload, [changes]);
  useEffect(() => {
    const missing = ancestorsOf(current).filter((name) => !opened.has(name));
    if (missing.length > 0) setOpened((before) => new Set([...before, ...missing]));
    for (const name of missing) void load(name);
  }, [current]);

  const open = (name: string) => {
    setOpened((before) => new Set([...before, name]));
    void load(name);
  };
  const close = (name: string) => setOpened((before) => new Set([...before].filter((other) => other !== name)));
  const loadMore = (name: string) => void load(name, levels.get(name)?.cursor);
  const root = levels.get('')?.parent;
  return { lines: root === undefined ? [] : linesOf(root, 0, opened, levels), error, open, close, loadMore, reload };
}

function linesOf(
  node: NamespaceNode,
  depth: number,
  opened: ReadonlySet<string>,
  levels: ReadonlyMap<string, Level>,
): TreeLine[] {
  const { name, label, recordCount, below, more = false, childCount, kind } = node;
  const isOpen = childCount === 0 && name !== '' ? undefined : opened.has(name);
  const line = {
    key: `n${name}`,
    name,
    label,
    depth,
    count: recordCount + below,
    countMore: more,
    childCount,
    kind,
    isOpen,
    more: false,
  };
  const level = levels.get(name);
  if (!isOpen || level === undefined) return [line];
  const children = level.items.flatMap((child) => linesOf(child, depth + 1, opened, levels));
  if (level.cursor === undefined) return [line, ...children];
  const rest = {
    ...line,
    key: `m${name}`,
    label: 'More namespaces…',
    depth: depth + 1,
    isOpen: undefined,
    kind: undefined,
    more: true,
  };
  return [line, ...children, rest];
}

/** The namespaces above one. Segments never contain a colon: it is escaped. */
function ancestorsOf(name: string): string[] {
  const segments = name.split(':');
  return segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join(':'));
}
