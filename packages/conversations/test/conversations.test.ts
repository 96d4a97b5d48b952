import { afterAll, beforeAll, describe } from 'vitest';
import { backends } from './backends/all.ts';
import { costCases } from './suite/costs.ts';
import { deletingCases } from './suite/deleting.ts';
import { erasingCases } from './suite/erasing.ts';
import { kindCases } from './suite/kinds.ts';
import { preparingCases } from './suite/preparing.ts';
import { processCases } from './suite/processes.ts';
import { processingCases } from './suite/processing.ts';
import { savingCases } from './suite/saving.ts';
import { sessionCases } from './suite/sessions.ts';

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
    describe('deleting', () => deletingCases(suite));
    describe('erasing', () => erasingCases(suite));
    describe('processing', () => processingCases(suite));
    describe('costs and failures', () => costCases(suite));
    describe('processes', () => processCases(suite));
  });
}
