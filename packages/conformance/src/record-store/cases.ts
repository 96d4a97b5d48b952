import { aborting } from './aborting.ts';
import { adding } from './adding.ts';
import { batches } from './batches.ts';
import { declared } from './capabilities.ts';
import { clearing } from './clearing.ts';
import { concurrency } from './concurrency.ts';
import { content } from './content.ts';
import { cursors } from './cursors.ts';
import { deleting } from './deleting.ts';
import { descendants } from './descendants.ts';
import { excerpts } from './excerpts.ts';
import { filters } from './filters.ts';
import type { RecordStoreCases } from './helpers.ts';
import { histories } from './histories.ts';
import { hostileValues } from './hostile-values.ts';
import { identity } from './identity.ts';
import { ids } from './ids.ts';
import { isolation } from './isolation.ts';
import { json } from './json.ts';
import { lifecycle } from './lifecycle.ts';
import { linearizability } from './linearizability.ts';
import { listing } from './listing.ts';
import { literalFilters } from './literal-filters.ts';
import { literalSearch } from './literal-search.ts';
import { messages } from './messages.ts';
import { namespaceListing } from './namespace-listing.ts';
import { namespaceSegments } from './namespace-segments.ts';
import { namespaces } from './namespaces.ts';
import { provenance } from './provenance.ts';
import { putting } from './putting.ts';
import { replacing } from './replacing.ts';
import { searching } from './searching.ts';
import { superseding } from './superseding.ts';
import { ttl } from './ttl.ts';
import { unknownOptions } from './unknown-options.ts';

/** Every promise of a record store. */
export const recordStoreCases: readonly RecordStoreCases[] = [
  declared,
  putting,
  provenance,
  superseding,
  ids,
  replacing,
  batches,
  deleting,
  clearing,
  listing,
  cursors,
  adding,
  messages,
  searching,
  excerpts,
  literalSearch,
  filters,
  literalFilters,
  ttl,
  namespaces,
  namespaceListing,
  namespaceSegments,
  descendants,
  content,
  json,
  isolation,
  identity,
  unknownOptions,
  hostileValues,
  lifecycle,
  aborting,
  concurrency,
  linearizability,
  histories,
];
