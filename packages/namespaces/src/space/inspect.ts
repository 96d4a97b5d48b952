import { formatNamespace, type Namespace, type NamespaceInfo, type RecordStore } from '@keepsake/core';
import type { FieldNames } from '@keepsake/core/adapter';
import { isOutbox } from '@keepsake/internal';
import type { Agent } from './agents.ts';
import type { Configuration } from './configuration.ts';
import type { Owners } from './owners.ts';
import { type Principal, principalName, principalOf } from './principal.ts';
import { filledNamespaces, filledNamespacesWith } from './tree.ts';

/** Which namespaces to show; all of the store by default. */
export interface InspectOptions {
  /** The key of an agent: only its memory, of all its users, and its pools. */
  readonly agent?: string | undefined;
  /** Only what belongs to this principal: what `eraseUser` would erase from the store. */
  readonly principal?: Principal | undefined;
}

export const INSPECT: FieldNames<InspectOptions> = { agent: true, principal: true };

/** What a namespace is, and whom it belongs to. */
export interface NamespaceDescription extends Pick<NamespaceInfo, 'namespace'> {
  /** The namespace as `formatNamespace` writes it. */
  readonly name: string;
  /**
   * The private memory of a principal, a pool, the memory of a team, the outbox of a manager, anything else at or below the
   * memory of an agent, such as memories per session (`child`), or what the space does not know (`other`).
   */
  readonly kind: 'private' | 'child' | 'pool' | 'team' | 'outbox' | 'other';
  /** The keys of the agents whose memory it is, or that declare the pool. Empty for teams and others. */
  readonly agents: readonly string[];
  /** Its owner, if it belongs to a principal. */
  readonly principal?: Required<Principal>;
}

/** A namespace that contains records, or a pool. */
export interface NamespaceView extends NamespaceDescription, NamespaceInfo {}

/** An agent and a principal that have memory together. */
export interface ActorView {
  /** The keys of the agents: several if they have the same namespace, none for memory outside of the space. */
  readonly agents: readonly string[];
  /** Missing for memory that belongs to nobody, such as that of an agent without a user. */
  readonly principal?: Required<Principal>;
  readonly namespaces: number;
  readonly recordCount: number;
}

type Kind = Pick<NamespaceDescription, 'kind' | 'agents'>;

/** Names the namespaces of a store by the configuration of its space. */
export class Inspector {
  readonly #store: RecordStore;
  readonly #configuration: Configuration;
  readonly #owners: Owners;

  constructor(store: RecordStore, configuration: Configuration, owners: Owners) {
    this.#store = store;
    this.#configuration = configuration;
    this.#owners = owners;
  }

  /** The namespaces with records, sorted by name, then the pools, also empty ones. */
  async namespaces({ agent, principal }: InspectOptions): Promise<NamespaceView[]> {
    const views: NamespaceView[] = [];
    const counts = new Map<string, number>();
    // The root belongs to nobody, and neither do pools.
    const some = principal && filledNamespacesWith(this.#store, this.#owners.segmentOf(principal));
    for await (const { namespace, recordCount } of some ?? filledNamespaces(this.#store)) {
      const view = this.#view(namespace, recordCount);
      if (view.kind === 'pool') counts.set(view.name, recordCount);
      else views.push(view);
    }
    for (const { name, namespace } of this.#configuration.pools.values()) {
      views.push(this.#view(namespace, counts.get(name) ?? 0));
    }
    return views.filter((view) => isOfAgent(view, agent) && this.#belongsTo(view, principal)).sort(poolsLast);
  }

  /** The agents and principals that have memory together. */
  async actors(): Promise<ActorView[]> {
    const actors = new Map<string, ActorView>();
    for (const { kind, agents, principal, recordCount } of await this.namespaces({})) {
      if (kind === 'pool' || kind === 'team') continue;
      const key = JSON.stringify([agents, principal && principalName(principal)]);
      const actor = actors.get(key) ?? { agents, ...(principal && { principal }), namespaces: 0, recordCount: 0 };
      const { namespaces, recordCount: before } = actor;
      actors.set(key, { ...actor, namespaces: namespaces + 1, recordCount: before + recordCount });
    }
    return [...actors.values()];
  }

  /** What a namespace is, and whom it belongs to. */
  describe(namespace: Namespace): NamespaceDescription {
    const owner = this.#owners.of(namespace);
    const principal = owner && { id: owner.id, type: owner.type ?? 'user' };
    const name = formatNamespace(namespace);
    return { namespace, name, ...this.#kind(namespace, name), ...(principal && { principal }) };
  }

  #view(namespace: Namespace, recordCount: number): NamespaceView {
    return { ...this.describe(namespace), recordCount };
  }

  #kind(namespace: Namespace, name: string): Kind {
    const { pools, teams } = this.#configuration;
    if (pools.has(name))
      return { kind: 'pool', agents: this.#agents((agent) => agent.pools.some((one) => one.name === name)) };
    const depth = this.#depth(namespace);
    const agents = this.#agents(({ template }) => template.length === depth && template.leadsTo(namespace));
    if (isOutbox(namespace)) return { kind: 'outbox', agents };
    if (agents.length > 0) return { kind: isPrivate(namespace, depth) ? 'private' : 'child', agents };
    const isOfTeam = [...teams.values()].some(({ template }) => template.leadsTo(namespace));
    return { kind: isOfTeam ? 'team' : 'other', agents };
  }

  /** The length of the nearest template: what is below `agent:bot:helper` is not the memory of `agent:bot`. */
  #depth(namespace: Namespace): number {
    const templates = [...this.#configuration.agents.values()].map(({ template }) => template);
    return Math.max(0, ...templates.filter((one) => one.leadsTo(namespace)).map((one) => one.length));
  }

  #agents(passes: (agent: Agent) => boolean): string[] {
    return [...this.#configuration.agents].filter(([, agent]) => passes(agent)).map(([key]) => key);
  }

  #belongsTo({ namespace }: NamespaceView, principal: Principal | undefined): boolean {
    return principal === undefined || this.#owners.belongsTo(namespace, principal);
  }
}

function isOfAgent({ agents }: NamespaceView, agent: string | undefined): boolean {
  return agent === undefined || agents.includes(agent);
}

function isPrivate(namespace: Namespace, depth: number): boolean {
  const own = namespace.slice(depth);
  return own.length === 2 && principalOf(own) !== undefined;
}

function poolsLast(one: NamespaceView, other: NamespaceView): number {
  const order = Number(one.kind === 'pool') - Number(other.kind === 'pool');
  return order || (one.name < other.name ? -1 : 1);
}
