import type { Namespace, NamespaceInfo } from '@keepsake/core';
import { CursorSeal, type NamespaceList } from '@keepsake/core/adapter';
import { type RecordLogs, SeenRecords } from '@keepsake/search';
import { RedisLog, type RedisLogOptions } from './redis-log.ts';
import type { PathRange } from './registry.ts';

/** How many namespaces are read at a time. */
const STEP = 200;

/** The records of all namespaces under a key prefix. */
export class RedisLogs implements RecordLogs {
  readonly durable = true;
  readonly shared = true;
  readonly #options: RedisLogOptions;
  readonly #seen = new SeenRecords();

  constructor(options: RedisLogOptions) {
    this.#options = options;
  }

  open(namespace: Namespace): RedisLog {
    return new RedisLog(this.#options, namespace, this.#seen.in(namespace));
  }

  /** The numbers of a namespace count its own changes only, so that the seal hides nothing. */
  async cursorSeal(): Promise<CursorSeal> {
    return new CursorSeal('');
  }

  async namespacesBelow(namespace: Namespace): Promise<Namespace[]> {
    const namespaces: Namespace[] = [];
    for await (const one of this.#below(namespace)) namespaces.push(one);
    return namespaces;
  }

  /** Unregisters those that hold no records. */
  async nextNamespaces(below: Namespace, { limit, empty, ...range }: NamespaceList): Promise<NamespaceInfo[]> {
    const infos: NamespaceInfo[] = [];
    for await (const namespace of this.#below(below, range)) {
      const log = this.open(namespace);
      const recordCount = await log.count();
      // Listing also works for users who may not write, and on a replica.
      if (recordCount === 0 && !empty) await log.empty(true).catch(() => undefined);
      else infos.push({ namespace, recordCount });
      if (infos.length === limit) break;
    }
    return infos;
  }

  async clearTree(namespace: Namespace): Promise<number> {
    let count = await this.open(namespace).clear();
    for await (const one of this.#below(namespace)) count += await this.open(one).clear();
    return count;
  }

  async *#below(namespace: Namespace, range: PathRange = {}): AsyncGenerator<Namespace> {
    for (let { after, beyond } = range; ; beyond = undefined) {
      const { segment } = range;
      const namespaces = await this.#options.registry.below(namespace, { after, beyond, segment, limit: STEP });
      yield* namespaces;
      if (namespaces.length < STEP) return;
      after = namespaces.at(-1);
    }
  }
}
