import type { Area } from '../area.ts';
import { FLOORS } from './floors.ts';
import { FULL, QUICK } from './guard-scale.ts';
import { judge, withoutJudgement } from './judge.ts';
import { managerFigures } from './manager-figures.ts';
import { searchFigures } from './search-figures.ts';
import { sessionFigures } from './session-figures.ts';

/** Fails if one of twelve ratios is below its floor. Everything runs in this process. */
export const guard: Area = {
  title: 'Guard: the speed of Keepsake if the raw limit is 1',
  onlyByName: true,
  withoutPeers: true,
  async run({ quick, directory, say }) {
    const scale = quick ? QUICK : FULL;
    const measured = [
      ...(await sessionFigures(scale, directory, say)),
      ...(await searchFigures(scale, directory, say)),
      ...(await managerFigures(scale, say)),
    ];
    return quick ? withoutJudgement(measured, FLOORS) : judge(measured, FLOORS);
  },
};
