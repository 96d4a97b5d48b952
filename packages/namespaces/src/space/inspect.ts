import { formatNamespace, type Namespace, type NamespaceInfo, type RecordStore } from '@keepsake/core';
import type { Agent } from './configuration.ts';
import { type Principal, principalOf } from './principal.ts';
import { isOutbox } from './reserved.ts';
import { held } from './tree.ts';

/** A namespace of an agent. */
export interface NamespaceView extends NamespaceInfo {
  /** The namespace as `formatNamespace` writes it. */
  readonly name: string;
  /**
   * A private memory, a pool, the outbox of a manager, or anything else at or below a memory, such as data of older layouts.
   */
  readonly kind: 'private' | 'child' | 'pool' | 'outbox';
  /** Its owner, if it belongs to a principal. */
  readonly principal?: Required<Principal>;
}

/** The namespaces of an agent that contain records, and its pools. Excludes those of other agents, which may be below. */
export async function inspectAgent(
  store: RecordStore,
  agent: Agent,
  others: readonly Agent[],
): Promise<NamespaceView[]> {
  const views: NamespaceView[] = [];
  const pools = new Map(agent.pools.map(({ name, namespace }) => [name, { namespace, recordCount: 0 }]));
  for await (const { namespace, recordCount } of held(store)) {
    const pool = pools.get(formatNamespace(namespace));
    if (pool !== undefined) pool.recordCount = recordCount;
    else if (isOf(agent, namespace, others)) views.push(view(namespace, recordCount, kindOf(agent, namespace)));
  }
  const shared = [...pools.values()].map(({ namespace, recordCount }) => view(namespace, recordCount, 'pool'));
  return [...views.sort((a, b) => (a.name < b.name ? -1 : 1)), ...shared];
}

function isOf(agent: Agent, namespace: Namespace, others: readonly Agent[]): boolean {
  const isNearer = ({ template }: Agent) => template.length > agent.template.length && template.leadsTo(namespace);
  return agent.template.leadsTo(namespace) && !others.some(isNearer);
}

function kindOf({ template }: Agent, namespace: Namespace): NamespaceView['kind'] {
  if (isOutbox(namespace)) return 'outbox';
  const own = namespace.slice(template.length);
  return own.length === 2 && principalOf(own) !== undefined ? 'private' : 'child';
}

function view(namespace: Namespace, recordCount: number, kind: NamespaceView['kind']): NamespaceView {
  const principal = principalOf(namespace);
  return { namespace, name: formatNamespace(namespace), kind, recordCount, ...(principal && { principal }) };
}
