import { WEIGHTS } from './ranking-weights.ts';

const DAY_MS = 86_400_000;
const MEAN_YEAR_MS = 365.2425 * DAY_MS;
const MONTH_NAMES = 'january february march april may june july august september october november december'.split(' ');
const DAY_NAMES = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

const MONTH = `(${MONTH_NAMES.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\.?`;
const ORDINAL = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d\\d)';
const UNIT = '(day|week|month|year)';
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const COUNTS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  'a couple of': 2,
  ...Object.fromEntries(NUMBERS.map((name, count) => [name, count])),
};
/** The maximum number of times in a query. Each costs a little for every turn. */
const MAX_TIMES = 8;

type Scale = 'day' | 'month' | 'year';

/** A period in milliseconds since 1970; `to` is exclusive. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A time that a query names. Without a year, it recurs each year. */
export interface NamedTime {
  readonly scale: Scale;
  stretchIn(year: number): Stretch;
}

interface Form {
  readonly pattern: RegExp;
  read(groups: readonly (string | undefined)[], now: Date): NamedTime | undefined;
}

/** Tried in this order. Text that one form has read is hidden from the next ones. */
const FORMS: readonly Form[] = [
  { pattern: /\b(\d{4})-(\d\d)(?:-(\d\d))?\b/g, read: ([year, month, day]) => date(year, Number(month) - 1, day) },
  {
    pattern: new RegExp(`\\b${ORDINAL}(?: of)? ${MONTH}(?:,? ${YEAR})?(?!\\w)`, 'gi'),
    read: ([day, month, year]) => date(year, monthOf(month), day),
  },
  {
    pattern: new RegExp(`\\b${MONTH} ${ORDINAL}(?:,? ${YEAR})?(?!\\w)`, 'gi'),
    read: ([month, day, year]) => date(year, monthOf(month), day),
  },
  { pattern: new RegExp(`\\b${MONTH},? ${YEAR}\\b`, 'gi'), read: ([month, year]) => date(year, monthOf(month)) },
  {
    // "may", "march" and the short names are also ordinary words.
    pattern: new RegExp(`\\b(in|of|since|during|last|this|early|late|mid|by) ${MONTH}(?!\\w)`, 'gi'),
    read: ([word, month], now) => date(yearOf(word, monthOf(month), now), monthOf(month)),
  },
  {
    pattern: new RegExp(`\\b(${MONTH_NAMES.filter((name) => name !== 'may' && name !== 'march').join('|')})\\b`, 'gi'),
    read: ([month]) => date(undefined, monthOf(month)),
  },
  { pattern: new RegExp(`\\b${YEAR}\\b`, 'g'), read: ([year]) => date(year) },
  { pattern: /\bday before yesterday\b/gi, read: (_, now) => daysAgo(2, now) },
  { pattern: /\b(yesterday|today)\b/gi, read: ([word], now) => daysAgo(word?.toLowerCase() === 'today' ? 0 : 1, now) },
  {
    pattern: new RegExp(`\\b(\\d{1,3}|${Object.keys(COUNTS).join('|')}) ${UNIT}s? ago\\b`, 'gi'),
    read: ([count = '', unit = ''], now) => ago(COUNTS[count.toLowerCase()] ?? Number(count), unit, now),
  },
  {
    pattern: new RegExp(`\\b(last|this) ${UNIT}\\b`, 'gi'),
    read: ([word, unit = ''], now) => ago(isLast(word) ? 1 : 0, unit, now),
  },
  { pattern: /\blast weekend\b/gi, read: (_, now) => lastWeekend(now) },
  {
    pattern: new RegExp(`\\b(?:last|on|this) (${DAY_NAMES.join('|')})\\b`, 'gi'),
    read: ([day = ''], now) => daysAgo(((now.getUTCDay() - DAY_NAMES.indexOf(day.toLowerCase()) + 6) % 7) + 1, now),
  },
];

/**
 * The times that an English query names: "on 8 May", "in May 2023", "2023-05-08", "in 2023", "yesterday", "two weeks
 * ago", "last Monday", "last May". All in UTC; at most 8.
 */
export function namedTimes(query: string, now: Date): NamedTime[] {
  const times: NamedTime[] = [];
  let rest = query;
  for (const { pattern, read } of FORMS) {
    rest = rest.replace(pattern, (whole: string, ...groups: (string | undefined)[]) => {
      const time = read(groups, now);
      if (time === undefined) return whole;
      times.push(time);
      return '\n';
    });
  }
  return times.slice(0, MAX_TIMES);
}

/** The factor, 1 or more, of an entry from `time` for a query that names these times. */
export function timeFactor(times: readonly NamedTime[], time: number): number {
  let factor = 1;
  const year = 1970 + Math.floor(time / MEAN_YEAR_MS);
  for (const { scale, stretchIn } of times) {
    // The named time may be at the end of the year before. Around New Year, the division may be off by one.
    for (let near = year - 1; near <= year + 1; near++) {
      factor = Math.max(factor, 1 + (WEIGHTS[scale] - 1) * closenessTo(stretchIn(near), time));
    }
  }
  return factor;
}

/** The maximum distance from a period with a gain. */
const TIME_REACH_MS = { before: WEIGHTS.daysBefore * DAY_MS, after: WEIGHTS.daysAfter * DAY_MS } as const;

/** 1 inside a period, falling to 0 with the distance. */
function closenessTo({ from, to }: Stretch, time: number): number {
  if (time < from) return Math.max(0, 1 - (from - time) / TIME_REACH_MS.before);
  return Math.max(0, 1 - Math.max(0, time - to) / TIME_REACH_MS.after);
}

function monthOf(name = ''): number {
  return MONTH_NAMES.findIndex((month) => month.startsWith(name.toLowerCase().slice(0, 3)));
}

function date(year: string | undefined, month?: number, day?: string): NamedTime | undefined {
  if (month !== undefined && (month < 0 || month > 11)) return undefined;
  if (day !== undefined && (Number(day) < 1 || Number(day) > 31)) return undefined;
  const scale = day !== undefined ? 'day' : month !== undefined ? 'month' : 'year';
  if (year !== undefined) return always(scale, stretchOf(Number(year), month, day));
  // Cached, because it is called for many turns of the same few years.
  const stretches = new Map<number, Stretch>();
  const stretchIn = (current: number) => {
    const stretch = stretches.get(current) ?? stretchOf(current, month, day);
    stretches.set(current, stretch);
    return stretch;
  };
  return { scale, stretchIn };
}

function stretchOf(year: number, month?: number, day?: string): Stretch {
  if (month === undefined) return { from: Date.UTC(year, 0), to: Date.UTC(year + 1, 0) };
  if (day === undefined) return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
  return { from: Date.UTC(year, month, Number(day)), to: Date.UTC(year, month, Number(day) + 1) };
}

function isLast(word = ''): boolean {
  return word.toLowerCase() === 'last';
}

/** For "last May", the year of the last May that is over. For "this May", the current year. For "in May", any year. */
function yearOf(word = '', month: number, now: Date): string | undefined {
  if (isLast(word)) return String(now.getUTCFullYear() - (month < now.getUTCMonth() ? 0 : 1));
  return word.toLowerCase() === 'this' ? String(now.getUTCFullYear()) : undefined;
}

/** The Saturday and Sunday before the current week, which begins on Monday. */
function lastWeekend(now: Date): NamedTime {
  const sinceMonday = (now.getUTCDay() + 6) % 7;
  const from = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - sinceMonday - 2);
  return always('day', { from, to: from + 2 * DAY_MS });
}

function daysAgo(days: number, now: Date): NamedTime {
  const from = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days);
  return always('day', { from, to: from + DAY_MS });
}

function ago(count: number, unit: string, now: Date): NamedTime {
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth() - count;
  if (unit.toLowerCase() === 'day') return daysAgo(count, now);
  if (unit.toLowerCase() === 'month')
    return always('month', { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) });
  if (unit.toLowerCase() === 'year') return always('year', stretchOf(year - count));
  // For weeks: the seven days around the day.
  const middle = Date.UTC(year, now.getUTCMonth(), now.getUTCDate() - 7 * count);
  return always('month', { from: middle - 3 * DAY_MS, to: middle + 4 * DAY_MS });
}

function always(scale: Scale, stretch: Stretch): NamedTime {
  return { scale, stretchIn: () => stretch };
}
