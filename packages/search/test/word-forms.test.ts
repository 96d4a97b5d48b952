import { analyse, type Language } from '@keepsake/search';
import { describe, expect, it } from 'vitest';

/** Pairs that a search treats as one word, and pairs that it distinguishes. */
const FORMS: readonly { language: Language; same: string; different: string }[] = [
  {
    language: 'en',
    same: "houses house, running runs, ponies pony, painted paintings, adopted adopting, studies studying, café cafe, Jon's Jon, we'll we, e-mail email, bought buy, went going, children's child, written wrote, feet foot",
    different:
      'house horse, general genius, paint pain, 2023 2024, marry mary, desert dessert, rose rise, bit bite, leaf left, live life, founded find, led lead',
  },
  {
    language: 'de',
    same: 'Häuser Haus, Strasse Straße, Mueller Müller, Muller Müller, Koeln Köln, Bücher Buches, schöne schönen, arbeitet arbeiten, wohnt wohnen, lebt leben, backt backen, spielt spielen, macht machen, kauft kaufen, lernt lernen, trinkt trinken, studiert studieren, heißt heißen, hört hören, hoert hören, braucht brauchen, denkt denken, kennt kennen, sitzt sitzen, führt führen, scheint scheinen, wirkt wirken, tanzt tanzen, Katzen Katze, Freundinnen Freundin, Fußball Fussball',
    different:
      'Haus Hase, Quelle Qülle, Bauer Baur, Küche Kuchenblech, Punkt Punk, Markt Mark, Gast Gas, Start Star, Torte Tor, leicht Leiche',
  },
  {
    language: 'fr',
    same: "l'eau eau, écoles école, ecole école, chevaux cheval, amies amis, étudiante étudiantes, travaillé travailler, d'Anna Anna, qu’Anna Anna, nationaux national, œufs oeuf",
    different: 'école écologie, poisson boisson, chat château, pomme pompe',
  },
  {
    language: 'es',
    same: 'canciones canción, cancion canción, habitaciones habitacion, niñas niño, trabajando trabajar, compró comprar, gatos gata, camion camiones, vivimos vivir, fútbol futbol',
    different: 'casa caza, pero perro, canción cansado, gato gasto',
  },
  {
    language: 'it',
    same: "dell'amico amici, l’acqua acqua, ragazze ragazza, mangiato mangiare, città citta, lavorava lavorare, canzoni canzone, libri libro, un'amica amiche, università universita",
    different: 'gatto gusto, cane carne, palla pala, penna pena',
  },
  {
    language: 'pt',
    same: 'canções canção, cancao canção, coracoes coração, trabalhando trabalhar, meninas menina, gatos gata, cidades cidade, irmã irma, viajaram viajar, aviao avião, limões limão',
    different: 'carro caro, gato gasto, canção cansado, mala mana',
  },
  {
    language: 'nl',
    same: "boeken boek, huizen huis, katten kat, coöperatie cooperatie, meisjes meisje, foto's foto, leven leef, wonen woon, mooie mooi",
    different: 'huis muis, boek broek, kat kast, maan boom',
  },
  {
    language: 'ru',
    same: 'ёлка елки, книги книгах, собака собаками, читает читаем, купила купить, красивая красивые, работал работала, городе города, сёстры сестра',
    different: 'книга кнопка, майка маика, город горох, мой мои-то',
  },
];

function pairsOf(pairs: string): string[][] {
  return pairs.split(', ').map((pair) => pair.split(' '));
}

function termsOf(word: string | undefined, language?: Language): string {
  return analyse(word ?? '', { language }).join(' ');
}

describe.each(FORMS)('$language', ({ language, same, different }) => {
  it.each(pairsOf(same))('%s matches %s', (a, b) => {
    expect(termsOf(a, language)).toBe(termsOf(b, language));
  });

  it.each(pairsOf(different))('%s does not match %s', (a, b) => {
    expect(termsOf(a, language)).not.toBe(termsOf(b, language));
  });
});

describe('Korean', () => {
  it.each(
    pairsOf(
      '학교에서는 학교, 친구를 친구가, 한국의 한국은, 고양이가 고양이를, 집에서 집으로, 서울까지 서울, 사과를 사과, 엄마한테 엄마',
    ),
  )('%s matches %s', (a, b) => {
    expect(termsOf(a)).toBe(termsOf(b));
  });

  it.each(pairsOf('학교 학생, 나이 나무, 사과 사고'))('%s does not match %s', (a, b) => {
    expect(termsOf(a)).not.toBe(termsOf(b));
  });

  it('is not stemmed with the language none', () => {
    expect(analyse('학교에서는', { language: 'none' })).toEqual(['학교에서는']);
  });
});

describe('scripts without a stemmer', () => {
  it.each([
    ['Arabic, with and without vowels and stretching', 'السَّلامُ', 'الســـلام'],
    ['Hebrew, with and without points', 'שָׁלוֹם', 'שלום'],
    ['Greek, with and without accents', 'Οδός', 'ΟΔΟΣ'],
    ['halfwidth Katakana', 'ｶﾞｿﾘﾝ', 'ガソリン'],
    ['decomposed Hangul syllables', '\u1112\u1161\u11ab\u1100\u116e\u11a8', '한국'],
  ])('match in different spellings: %s', (_script, a, b) => {
    expect(termsOf(a)).toBe(termsOf(b));
    expect(termsOf(a)).not.toBe('');
  });

  it('are cut at spaces', () => {
    expect(analyse('मैं दिल्ली में रहता हूँ', { language: 'none' })).toHaveLength(5);
  });
});

describe('Hindi', () => {
  it.each(pairsOf('लड़का लड़के, लड़की लड़कियाँ, खेल खेलों, किताब किताबें, दवा दवाओं, मेज़ मेज़ों, बड़ा बड़ी, रहता रहती'))(
    '%s matches %s',
    (a, b) => {
      expect(termsOf(a)).toBe(termsOf(b));
    },
  );

  it.each(pairsOf('घर घड़ी, दिल दिल्ली, माँ मामा'))('%s does not match %s', (a, b) => {
    expect(termsOf(a)).not.toBe(termsOf(b));
  });
});

describe('function words of scripts of their own', () => {
  it.each([
    ['Arabic', 'متى موعد الطبيب؟', 'موعد الطبيب'],
    ['Hebrew', 'מתי התור אצל הרופא?', 'התור אצל הרופא'],
    ['Hindi', 'डॉक्टर का समय कब है?', 'डॉक्टर समय'],
    ['Chinese', '医生的预约是什么时候？', '医生预约'],
    ['Chinese in traditional characters', '誰的狗在這裡？', '狗'],
    ['Japanese', '猫の名前は何ですか？', '猫 名前'],
    ['Korean', '회의는 언제 어디에서?', '회의'],
    ['Greek', 'Πότε είναι το ραντεβού;', 'ραντεβού'],
  ])('say nothing of the subject: %s', (_, question, subject) => {
    expect(termsOf(question)).toBe(termsOf(subject));
  });

  it('are words like others with the language none, and count if a text has nothing else', () => {
    expect(analyse('谁', { language: 'none' })).toEqual(['谁']);
    expect(analyse('谁')).toEqual(['谁']);
  });

  it.each(['علي', 'עדי'])('a name is none: %s', (name) => {
    expect(analyse(`${name} Oslo`)).toHaveLength(analyse(`${name} Oslo`, { language: 'none' }).length);
  });
});
