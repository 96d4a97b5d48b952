import { formatNamespace, type Namespace, type RecordStore, type SessionStore } from '@keepsake/core';
import { isReserved } from '@keepsake/internal';
import fc from 'fast-check';
import { MemorySpace, type MemorySpaceOptions, type Principal } from '../../src/index.ts';
import type { Place } from '../backends/backend.ts';

/* Look-alike names and all the namespaces that they resolve to. */

const SIGNS = [
  ...': * ? [ ] \\ % _ . /'.split(' '),
  ...[
    'a',
    'b',
    'A',
    'u',
    's',
    'o',
    ' ',
    '-',
    '%3A',
    '%75',
    'u:a',
    ':u:',
    'a:b',
    '..',
    '**',
    'é',
    'e\u0301',
    '{user_id}',
  ],
];

const text = fc.array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 3 }).map((signs) => signs.join(''));

/** A text, or another text with a small change. */
function changed(base: string, change: number, at: number, sign: string): string {
  const place = at % (base.length + 1);
  const variants = [
    base + sign,
    sign + base,
    base.slice(0, place) + sign + base.slice(place),
    base.slice(0, place) + sign + base.slice(place + 1),
    base.slice(0, -1) || sign,
    base.toUpperCase(),
    base.normalize('NFD'),
    encodeURIComponent(base),
    base,
    sign,
  ];
  return (variants[change % variants.length] as string).toWellFormed();
}

/** A principal and an agent. */
interface Identity {
  readonly owner: string | undefined;
  readonly agent: string;
  readonly principal: Required<Principal>;
}

/** Identities, pools and teams, all different. */
export interface Names {
  readonly identities: readonly Identity[];
  readonly pools: readonly string[];
  readonly teams: readonly { readonly name: string; readonly owner: string | undefined }[];
}

/** This many identities, pools and teams with similar names. */
export function alike(count: number): fc.Arbitrary<Names> {
  const change = fc.tuple(fc.nat(9), fc.nat(7), fc.constantFrom(...SIGNS));
  const some = fc.array(fc.tuple(change, change, change, fc.nat(7)), { minLength: count, maxLength: count });
  return fc.tuple(text, text, text, some).map(([owner, agent, id, changes]) => {
    const all = changes.map(([one, two, three, kind], n) => ({
      owner: n === 0 ? owner : changed(owner, ...one),
      agent: n === 0 ? agent : changed(agent, ...two),
      id: n === 0 ? id : changed(id, ...three),
      isOwned: kind % 2 === 0,
      type: kind > 5 ? ('service' as const) : ('user' as const),
    }));
    const identities = all.map(({ owner, agent, id, isOwned, type }) => ({
      owner: isOwned ? owner : undefined,
      agent,
      principal: { id, type },
    }));
    const paths: Namespace[] = all.map(({ owner, agent, id, isOwned }) => (isOwned ? [owner, agent, id] : [agent, id]));
    return {
      identities: distinct(identities),
      pools: distinct(paths.filter((path) => !path.some(isReserved)).map(formatNamespace)).filter(
        (name) => name.length <= 128 && !/[{}]/.test(name) && !name.startsWith('team:'),
      ),
      teams: distinct(all.map(({ owner, agent, isOwned }) => ({ name: agent, owner: isOwned ? owner : undefined }))),
    };
  });
}

/** A store to write to: no other store may show its records. */
export interface Slot {
  readonly what: string;
  readonly store: RecordStore;
  readonly sessions?: SessionStore;
  readonly principal?: Required<Principal>;
}

/** All stores that the names resolve to, and their space. */
export function open({ store, sessions }: Place, { identities, pools, teams }: Names) {
  const reader: Principal = { id: 'reader' };
  const key = (kind: string, n: number) => `${kind} ${n}`;
  const agents: Record<string, MemorySpaceOptions['agents'][string]> = {
    all: { name: 'all', sharedNamespaces: pools },
  };
  for (const [n, { owner, agent: name }] of identities.entries()) {
    agents[key('agent', n)] = {
      name,
      // Without {agent_owner}, agents of two owners would be refused.
      namespace: owner === undefined ? 'agent:{agent_name}' : 'owned:{agent_owner}:{agent_name}',
      sharedWith: ['*'],
      ...(owner !== undefined && { owner }),
    };
  }
  const space = new MemorySpace({
    store,
    sessions,
    agents,
    pools: Object.fromEntries(pools.map((name) => [name, { readers: ['*'], writers: ['*'] }])),
    teams: Object.fromEntries(
      teams.map(({ name, owner }, n) => [
        key('team', n),
        { name, members: ['*'], ...(owner !== undefined && { owner }) },
      ]),
    ),
  });
  const slots: Slot[] = [
    ...identities.map(({ principal }, n) => {
      const scope = space.as({ principal, agent: key('agent', n) });
      return { what: scope.actorId, store: scope.memory, sessions: scope.sessions, principal };
    }),
    ...pools.map((name) => ({ what: name, store: space.as({ principal: reader, agent: 'all' }).pool(name) })),
    ...teams.map((_, n) => {
      const scope = space.as({ principal: reader, agent: 'all', team: key('team', n) });
      return { what: key('team', n), store: scope.team() };
    }),
  ];
  return { space, slots };
}

function distinct<T>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}
