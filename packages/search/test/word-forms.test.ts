import { analyse, type Language } from '@keepsake/search';
import { describe, expect, it } from 'vitest';

/** Pairs that are one word to a search, and pairs that are not. */
const FORMS: readonly { language: Language; meet: string; differ: string }[] = [
  {
    language: 'en',
    meet: "houses house, running runs, ponies pony, painted paintings, adopted adopting, studies studying, café cafe, Jon's Jon, we'll we, e-mail email, bought buy, went going, children's child, written wrote, feet foot",
    differ:
      'house horse, general genius, paint pain, 2023 2024, marry mary, desert dessert, rose rise, bit bite, leaf left, live life, founded find, led lead',
  },
  {
    language: 'de',
    meet: 'Häuser Haus, Strasse Straße, Mueller Müller, Muller Müller, Koeln Köln, Bücher Buches, schöne schönen, arbeitet arbeiten, wohnt wohnen, lebt leben, backt backen, spielt spielen, macht machen, kauft kaufen, lernt lernen, trinkt trinken, studiert studieren, heißt heißen, hört hören, hoert hören, braucht brauchen, denkt denken, kennt kennen, sitzt sitzen, führt führen, scheint scheinen, wirkt wirken, tanzt tanzen, Katzen Katze, Freundinnen Freundin, Fußball Fussball',
    differ:
      'Haus Hase, Quelle Qülle, Bauer Baur, Küche Kuchenblech, Punkt Punk, Markt Mark, Gast Gas, Start Star, Torte Tor, leicht Leiche',
  },
  {
    language: 'fr',
    meet: "l'eau eau, écoles école, ecole école, chevaux cheval, amies amis, étudiante étudiantes, travaillé travailler, d'Anna Anna, qu’Anna Anna, nationaux national, œufs oeuf",
    differ: 'école écologie, poisson boisson, chat château, pomme pompe',
  },
  {
    language: 'es',
    meet: 'canciones canción, cancion canción, habitaciones habitacion, niñas niño, trabajando trabajar, compró comprar, gatos gata, camion camiones, vivimos vivir, fútbol futbol',
    differ: 'casa caza, pero perro, canción cansado, gato gasto',
  },
  {
    language: 'it',
    meet: "dell'amico amici, l’acqua acqua, ragazze ragazza, mangiato mangiare, città citta, lavorava lavorare, canzoni canzone, libri libro, un'amica amiche, università universita",
    differ: 'gatto gusto, cane carne, palla pala, penna pena',
  },
  {
    language: 'pt',
    meet: 'canções canção, cancao canção, coracoes coração, trabalhando trabalhar, meninas menina, gatos gata, cidades cidade, irmã irma, viajaram viajar, aviao avião, limões limão',
    differ: 'carro caro, gato gasto, canção cansado, mala mana',
  },
  {
    language: 'nl',
    meet: "boeken boek, huizen huis, katten kat, coöperatie cooperatie, meisjes meisje, foto's foto, leven leef, wonen woon, mooie mooi",
    differ: 'huis muis, boek broek, kat kast, maan boom',
  },
  {
    language: 'ru',
    meet: 'ёлка елки, книги книгах, собака собаками, читает читаем, купила купить, красивая красивые, работал работала, городе города, сёстры сестра',
    differ: 'книга кнопка, майка маика, город горох, мой мои-то',
  },
];

function pairsOf(pairs: string): string[][] {
  return pairs.split(', ').map((pair) => pair.split(' '));
}

function termsOf(word: string | undefined, language?: Language): string {
  return analyse(word ?? '', { language }).join(' ');
}

describe.each(FORMS)('$language', ({ language, meet, differ }) => {
  it.each(pairsOf(meet))('%s is %s', (a, b) => {
    expect(termsOf(a, language)).toBe(termsOf(b, language));
  });

  it.each(pairsOf(differ))('%s is not %s', (a, b) => {
    expect(termsOf(a, language)).not.toBe(termsOf(b, language));
  });
});

describe('Korean', () => {
  it.each(
    pairsOf(
      '학교에서는 학교, 친구를 친구가, 한국의 한국은, 고양이가 고양이를, 집에서 집으로, 서울까지 서울, 사과를 사과, 엄마한테 엄마',
    ),
  )('%s is %s', (a, b) => {
    expect(termsOf(a)).toBe(termsOf(b));
  });

  it.each(pairsOf('학교 학생, 나이 나무, 사과 사고'))('%s is not %s', (a, b) => {
    expect(termsOf(a)).not.toBe(termsOf(b));
  });

  it('stays as it is where there is to be no stemming', () => {
    expect(analyse('학교에서는', { language: 'none' })).toEqual(['학교에서는']);
  });
});

describe('scripts without a stemmer', () => {
  it.each([
    ['Arabic, with vowels and without, stretched', 'السَّلامُ', 'الســـلام'],
    ['Hebrew, with points and without', 'שָׁלוֹם', 'שלום'],
    ['Greek, with accents and without', 'Οδός', 'ΟΔΟΣ'],
    ['halfwidth Katakana', 'ｶﾞｿﾘﾝ', 'ガソリン'],
    ['a Hangul syllable in pieces', '\u1112\u1161\u11ab\u1100\u116e\u11a8', '한국'],
  ])('%s', (_script, a, b) => {
    expect(termsOf(a)).toBe(termsOf(b));
    expect(termsOf(a)).not.toBe('');
  });

  it('are cut at spaces', () => {
    expect(analyse('मैं दिल्ली में रहता हूँ')).toHaveLength(5);
  });
});
