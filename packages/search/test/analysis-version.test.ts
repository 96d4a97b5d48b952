import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { LANGUAGES } from '../src/languages/language.ts';
import { analyserOf } from '../src/text/analyser.ts';
import { ANALYSIS_VERSION } from '../src/text/analysis-version.ts';

/** Of the sample below. It does not cover the tables of the runtime, which the name of an analysis contains separately. */
const RECORDED = { version: 7, hash: '067e721e9d391b04' };

const SAMPLE = [
  "Jon's painter wasn't painting the O’Neils' houses; they'd e-mailed well-known C++ and C# teams, 10:30am, 3.5km away.",
  'The flight of 2023-05-08 cost 1,000.50 (or 1.000,50), at 10:30 p.m. — see /home/user/notes.txt, v1.2.3, x-ray, A+.',
  'generously running runners ran; happily ponies, dying, lying, skies, news, proceed, succeeded, organization, wills',
  'Die schönen Häuser der Straße standen weit über dem Fluß; wir hätten früher aufhören können, 3,5 Meter höher.',
  'Las niñas corrían rápidamente por las calles más antiguas; ¿cuándo volverán los pingüinos a sus habitaciones?',
  "L'eau qu'elle buvait jusqu'à l'été n'était pas d'ici : les élèves étudièrent sérieusement aujourd'hui, cœur, Ærø.",
  "Dall'alto dell'isola c'erano città bellissime; gli amici m'avevano mandato un'email, anch'io l'ho letta perché sì.",
  "De kinderen fietsten 's ochtends naar Jan's huis; foto's van huizen, coöperatie, geïnteresseerden, lopen, gelopen.",
  'As crianças não corriam pelas ruas; às vezes, a copo d’água, os corações e as canções portuguesas também voltarão.',
  'Дети бежали по зелёным улицам; ещё никто не знал, что её книги и йод стояли на полках, замо́к, подъезды, красивейший.',
  'Ｆｕｌｌ ﬁne naïve café CAFÉ İstanbul ΟΔΟΣ οδός ſtraße co\u00adoperate zero\u200bwidth हिन्दी 한국어 Łódź Þór ½ ① ٣٤',
  `${'x'.repeat(80)} a\u0301\u0302\u0303 🎂 ❤️ 👍🏽 🇩🇪 who are you don't dont a-b a-bc ab-c 1-2-3 1:2:3 a.b.c U.S.A. 3.com co.uk #tag @me`,
  "Ankara'da Ahmet'in Yolları’nda getUserProfile (555) 123-4567 555.123.4567 والقاهرة بباريس ולירושלים הבית",
  'متى وصلت الطائرة إلى علي؟ מתי התור? लड़कियों की किताबें कहाँ हैं 医生什么时候来 誰の猫ですか 회의는 언제 어디에서 Πότε είναι το ραντεβού',
];

it('ANALYSIS_VERSION is raised whenever the analysis changes', () => {
  const analysed = [...LANGUAGES, undefined].map((language) =>
    SAMPLE.map((text) => analyserOf(language).analyse(text)),
  );
  const hash = createHash('sha256').update(JSON.stringify(analysed)).digest('hex').slice(0, 16);
  const advice =
    ANALYSIS_VERSION === RECORDED.version
      ? 'The analysis has changed: raise ANALYSIS_VERSION, so that stored indexes are rebuilt. Then record here'
      : 'ANALYSIS_VERSION was raised: record here';
  expect({ version: ANALYSIS_VERSION, hash }, `${advice} version ${ANALYSIS_VERSION} and hash ${hash}.`).toEqual(
    RECORDED,
  );
});
