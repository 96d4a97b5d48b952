import { redactText } from '@keepsake/privacy';
import { type Area, ofRows } from '../area.ts';
import { type Contender, contest } from '../contest.ts';
import { byProcessorTime } from '../measure.ts';
import { aimed, figure, judged, type Row, ratios } from '../row.ts';
import { codeOf, proseOf, withSecrets } from './texts.ts';

const FULL = { characters: 5_000_000, rounds: 15 };
const QUICK = { characters: 100_000, rounds: 2 };

const RAW = 'reads each character once';
const KEEPSAKE = 'redactText';

/** The cost of looking for secrets, in texts that have none and in texts that have many. */
export const redaction: Area = {
  title: 'Redaction: a text of 5 MB',
  async run({ quick, say }) {
    const { characters, rounds } = quick ? QUICK : FULL;
    const prose = proseOf(characters);
    const code = codeOf(characters);
    const texts = {
      documentation: prose,
      'source code': code,
      'source code with a secret every 5 kB': withSecrets(code),
    };
    const rows: Row[] = [];
    for (const [name, text] of Object.entries(texts)) {
      say(name);
      rows.push(await rowOf(name, text, rounds));
    }
    return ofRows(rows);
  },
};

async function rowOf(measure: string, text: string, rounds: number): Promise<Row> {
  const times = await contest(
    [contender(RAW, () => readAll(text)), contender(KEEPSAKE, () => redactText(text).length)],
    rounds,
  );
  const [raw = [], own = []] = [times[RAW], times[KEEPSAKE]];
  return {
    measure,
    raw: figure(RAW, 'µs', raw),
    ...judged(ratios(own, raw)),
    ...aimed(figure(KEEPSAKE, 'µs', own), { atMost: 150, unit: 'ms' }),
  };
}

function contender(name: string, run: () => number): Contender {
  let result = 0;
  return {
    name,
    play: () =>
      byProcessorTime(1, () => {
        result = run();
        return undefined;
      }),
    async finish() {
      if (result === 0) throw new Error(`${name} returned nothing`);
    },
  };
}

function readAll(text: string): number {
  let sum = 1;
  for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0;
  return sum === 0 ? 1 : sum;
}
