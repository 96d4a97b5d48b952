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
import { undoingCases } from './suite/undoing.ts';

/* The suite names no backend: all backends must behave the same. */

for (const make of backends) {
  const backend = make();
  describe(`Conversations on ${backend.name}`, () => {
    beforeAll(() => backend.start?.());
    afterAll(() => backend.stop?.());
    const suite = { backend };
    describe('kinds', () => kindCases(suite));
    describe('saving', () => savingCases(suite));
    describe('preparing', () => preparingCases(suite));
    describe('sessions', () => sessionCases(suite));
    describe('runs', () => listingRunsCases(suite));
    describe('open runs', () => beginningCases(suite));
    describe('changes', () => undoingCases(suite));
    describe('deleting', () => deletingCases(suite));
    describe('erasing', () => erasingCases(suite));
    describe('processing', () => processingCases(suite));
    describe('refused runs', () => refusalCases(suite));
    describe('limits', () => boundCases(suite));
    describe('simultaneous saves', () => coalescingCases(suite));
    describe('costs and failures', () => costCases(suite));
    describe('processes', () => processCases(suite));
  });
}
