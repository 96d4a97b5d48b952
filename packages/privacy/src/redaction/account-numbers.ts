import type { Range } from './range.ts';

/** How long the numbers of each country are, from the registry of ISO 13616. */
const LENGTHS: ReadonlyMap<string, number> = /* @__PURE__ */ lengths(
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30',
);

function lengths(list: string): Map<string, number> {
  return new Map(list.split(' ').map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]));
}

const START = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ \u00a0-]?[A-Za-z0-9]{3})/g;
const GAP = /[ \u00a0-]/;

/** International bank account numbers (IBAN), in groups or without spaces, whose check digits are right. */
export function findAccountNumbers(text: string): Range[] {
  return [...text.matchAll(START)].flatMap(({ 0: start, index }): Range[] => {
    const length = LENGTHS.get(start.slice(0, 2).toUpperCase());
    const end = length === undefined ? undefined : endOfNumber(text, index, length);
    return end === undefined ? [] : [[index, end]];
  });
}

function endOfNumber(text: string, begin: number, length: number): number | undefined {
  let [digits, at] = ['', begin];
  for (; digits.length < length; at++) {
    const character = text[at] ?? '';
    if (/[A-Za-z0-9]/.test(character)) digits += character;
    else if (!GAP.test(character) || GAP.test(text[at - 1] as string)) return undefined;
  }
  return /[A-Za-z0-9]/.test(text[at] ?? '') || !isChecked(digits) ? undefined : at;
}

/** ISO 7064, MOD 97-10: letters count as 10 to 35, the first four characters come last. */
function isChecked(number: string): boolean {
  let rest = 0;
  for (const character of number.slice(4) + number.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
