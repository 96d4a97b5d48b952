import { afterAll, beforeAll, describe } from 'vitest';
import { backends } from './backends/all.ts';
import { beginningCases } from './suite/beginning.ts';
import { boundCases } from './suite/bounds.ts';
import { coalescingCases } from './suite/coalescing.ts';
import { costCases } from './suite/costs.ts';
import { deletingCases } from './suite/deleting.ts';
import { erasingCases } from './suite/erasing.ts';
import { kindCases } from './suite/kinds.ts';
import { listingRunsCases } from './suite/listing-runs.ts';
import { preparingCases } from './suite/preparing.ts';
import { processCases } from './suite/processes.ts';
import { processingCases } from './suite/processing.ts';
import { refusalCases } from './suite/refusals.ts';
import { savingCases } from './suite/saving.ts';
import { sessionCases } from './suite/sessions.ts';
import { independent } from './suite/suite.ts';
import { undoingCases } from './suite/undoing.ts';

/* The suite names no backend: all backends must behave the same. */

const all = backends.map((make) => make());
const withProcesses = all.find(({ shared }) => shared);

for (const backend of all) {
  describe(`Conversations on ${backend.name}`, () => {
    beforeAll(() => backend.start?.());
    afterAll(() => backend.stop?.());
    const suite = { backend, hasProcesses: backend === withProcesses };
    describe('kinds', independent(suite), () => kindCases(suite));
    describe('saving', () => savingCases(suite));
    describe('preparing', independent(suite), () => preparingCases(suite));
    describe('sessions', independent(suite), () => sessionCases(suite));
    describe('runs', () => listingRunsCases(suite));
    describe('open runs', independent(suite), () => beginningCases(suite));
    describe('changes', independent(suite), () => undoingCases(suite));
    describe('deleting', independent(suite), () => deletingCases(suite));
    describe('erasing', () => erasingCases(suite));
    describe('processing', independent(suite), () => processingCases(suite));
    describe('refused runs', independent(suite), () => refusalCases(suite));
    describe('limits', independent(suite), () => boundCases(suite));
    describe('simultaneous saves', () => coalescingCases(suite));
    describe('costs and failures', independent(suite), () => costCases(suite));
    describe('processes', () => processCases(suite));
  });
}
