import { analyse, type Language } from '@keepsake/search';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Whether both texts have the same terms. */
function match(a: string, b: string, language: Language): boolean {
  return analyse(a, { language }).join(' ') === analyse(b, { language }).join(' ');
}

describe('words', () => {
  it('are lower-cased and stemmed, without stop words, in order and with repeats', () => {
    expect(analyse('The painter was painting, and painted her paintings.')).toEqual([
      'painter',
      'paint',
      'paint',
      'paint',
    ]);
  });

  it('match across Unicode forms, cases and diacritics', () => {
    expect(analyse('café')).toEqual(analyse('cafe\u0301'));
    expect(analyse('café')).toEqual(analyse('CAFE'));
    expect(analyse('ﬁne Ｆｕｌｌ naïve')).toEqual(analyse('fine full naive'));
    expect(match('STRASSE Ærø Łódź İstanbul', 'straße aero lodz istanbul', 'en')).toBe(true);
    expect(analyse('ΟΔΟΣ')).toEqual(analyse('οδός'));
    expect(analyse('résumés')).toEqual(analyse('resumes'));
    expect(analyse('co\u00adoperate')).toEqual(analyse('cooperate'));
  });

  it('keep marks that distinguish letters', () => {
    expect(analyse('हिन्दी', { language: 'none' })).toEqual(['हिन्दी']);
    expect(analyse('がか')).not.toEqual(analyse('かか'));
    expect(analyse('한국어')).toEqual(['한국어']);
  });

  it('are cut to their first 64 UTF-16 units', () => {
    const long = 'x'.repeat(64);
    expect(analyse(`${long}y`, { language: 'none' })).toEqual([long]);
  });

  it('require a letter, a digit or an emoji', () => {
    expect(analyse('')).toEqual([]);
    expect(analyse(' \n\0\t… ?! © → \ud800 \ufe0f')).toEqual([]);
    expect(analyse('a\0b')).toEqual(['b']);
    expect(analyse('ok\ud800then\udc00so')).toEqual(['ok']);
  });
});

/** Whether a search for the query would find the text. */
function finds(query: string, text: string, language?: Language): boolean {
  const terms = new Set(analyse(text, { language }));
  return analyse(query, { language }).some((term) => terms.has(term));
}

describe('emoji', () => {
  it('are one term each, in every presentation, beside words', () => {
    expect(analyse('Party🎂🎉 tonight ❤️')).toEqual(['parti', '🎂', '🎉', 'tonight', '❤']);
    expect(analyse('❤')).toEqual(analyse('❤️'));
    expect(analyse('👍🏽')).toEqual(analyse('👍'));
    expect(analyse('🇩🇪🇫🇷')).toEqual(['🇩🇪', '🇫🇷']);
    expect(analyse('👩‍🚒')).toEqual(['👩', '🚒']);
  });
});

describe('phone numbers', () => {
  it.each(['555-123-4567', '(555) 123-4567', '555.123.4567', '555 123 4567', '+1 555 123-4567', '+1 (555) 123 45 67'])(
    '%s is found without its separators, and the other way round',
    (number) => {
      const plain = number.replace(/\D/g, '');
      expect(finds(plain, `Call Ada at ${number}, or write.`)).toBe(true);
      expect(finds(number, `Call Ada at ${plain}.`)).toBe(true);
    },
  );

  it('are also found by their parts as written', () => {
    expect(finds('123-4567', 'Call (555) 123-4567.')).toBe(true);
    expect(finds('1234567', 'Call (555) 123-4567.')).toBe(true);
    expect(finds('5551234567', 'Call 5 friends at 555-123-4567 2 times.')).toBe(true);
  });

  it('are neither dates, times, decimals nor short numbers', () => {
    const text = 'On 2023-05-08, 8/5/2023, 08.05.2023 at 10:30, 12345.678, 1990-2000, 555-12, 1,234,567 and 3-4';
    expect(analyse(text, { language: 'none' }).filter((term) => /^\d{5,}$/.test(term))).toEqual(['1234567']);
  });
});

describe('names in code', () => {
  it('are found by their words, and as a whole', () => {
    expect(finds('user profile', 'It calls getUserProfile() first.')).toBe(true);
    expect(analyse('getUserProfile', { language: 'none' })).toEqual(['getuserprofile', 'get', 'user', 'profile']);
    expect(analyse('UserProfileStore', { language: 'none' })).toEqual(['userprofilestore', 'user', 'profile', 'store']);
    expect(analyse('parseJSONFile', { language: 'none' })).toEqual(['parsejsonfile', 'parse', 'json', 'file']);
    expect(analyse('HTTPServer2Config', { language: 'none' })).toEqual([
      'httpserver2config',
      'http',
      'server2',
      'config',
    ]);
    expect(finds('get_user_profile', 'getUserProfile')).toBe(true);
    expect(analyse('toString is_valid', { language: 'none' })).toEqual(['tostring', 'to', 'string', 'is', 'valid']);
  });

  it('add each of their words once', () => {
    const terms = analyse('getUserName setUserName', { language: 'none' });
    expect(terms).toEqual(['getusername', 'get', 'user', 'name', 'setusername', 'set']);
  });

  it('are not names of people and products', () => {
    const names = [
      'McDonald',
      'YouTube',
      'ctDNA',
      'iPhone',
      'eBay',
      'PhD',
      'DVDs',
      'OAuth',
      'DeLorean',
      'USA',
      'O’Neil',
    ];
    for (const name of names) expect(analyse(name, { language: 'none' })).toHaveLength(1);
  });
});

describe('prefixes in Arabic and Hebrew', () => {
  it.each([
    ['القاهرة', 'قاهرة'],
    ['والقاهرة', 'القاهرة'],
    ['بالقاهرة', 'القاهرة'],
    ['للقاهرة', 'القاهرة'],
    ['بباريس', 'باريس'],
    ['لمحمد', 'محمد'],
    ['ومحمد', 'محمد'],
    ['وبمصر', 'مصر'],
    ['الأُسرة', 'أسرة'],
    ['בתל', 'תל'],
    ['הבית', 'בית'],
    ['בחיפה', 'חיפה'],
    ['ולירושלים', 'ירושלים'],
    ['שהרופא', 'רופא'],
    ['וכשהרופא', 'הרופא'],
    ['הַבַּיִת', 'בית'],
  ])('%s and %s find each other', (prefixed, word) => {
    for (const language of [undefined, 'none'] as const) {
      expect(finds(word, prefixed, language)).toBe(true);
      expect(finds(prefixed, word, language)).toBe(true);
    }
  });

  it('leave short words as they are', () => {
    for (const word of ['هو', 'ولد', 'هر', 'הר', 'לא', 'בן']) expect(analyse(word)).toHaveLength(1);
  });
});

describe('apostrophes', () => {
  it('separate possessives from names, in every spelling', () => {
    expect(analyse("Jon's")).toEqual(analyse('Jon'));
    expect(analyse('Jon’s')).toEqual(analyse('Jon'));
    expect(analyse("Jon's", { language: 'none' })).toEqual(['jon']);
    expect(analyse("Jans fiets, Jan's foto's", { language: 'nl' })).toEqual(['jan', 'fiet', 'jan', 'foto']);
  });

  it('do not split names', () => {
    expect(analyse("O'Neil")).toEqual(['oneil']);
    expect(analyse('O’Neil')).toEqual(analyse('ONeil'));
  });

  it.each([
    "Ankara'da Ankara'dan Ankara'ya Ankara'yı Ankara'nın Ankara'daki Ankara’ya Ankara'yla Ankara'dır",
    "Ahmet'e Ahmet'i Ahmet'in Ahmet'le Ahmet'te Ahmet'ten Ahmet'ler Ahmet'lerin",
    "İstanbul'da İSTANBUL'UN İstanbul'a İstanbul'u İstanbul'daydı",
    "Yolları'nda Yolları'nı Yolları'na Yolları'ndan",
  ])('separate the suffixes of Turkish names: %s', (text) => {
    for (const language of [undefined, 'none', 'de'] as const) {
      const [name = ''] = text.split("'");
      for (const word of text.split(' ')) expect(analyse(word, { language })).toEqual(analyse(name, { language }));
    }
  });

  it('do not take other names for Turkish ones', () => {
    for (const name of ["Hawai'i", "Ch'in", "T'ai", "Qur'an", "Xi'an", "Sana'a", "Ma'am", "N'Djamena", "D'Artagnan"]) {
      expect(analyse(name, { language: 'none' })).toEqual([name.toLowerCase().replace("'", '')]);
    }
  });

  it('leave no terms of English contractions, with or without the apostrophe', () => {
    expect(analyse("I don't know what we'll do, it's late and they've left; Jon can't")).toEqual(
      analyse('I dont know what we will do, its late and they have left; Jon cant'),
    );
    expect(analyse("don't panic")).toEqual(['panic']);
  });

  it('separate articles and pronouns in French and Italian', () => {
    expect(analyse("Qu'est-ce que l'ecole aujourd'hui", { language: 'fr' })).toEqual(['ecol', 'aujourdhui']);
    expect(match("l'école d'été", 'école été', 'fr')).toBe(true);
    expect(match("dell'amico", 'amici', 'it')).toBe(true);
  });
});

describe('hyphens, dots and signs', () => {
  it('split and join compounds, but not a leading letter', () => {
    expect(analyse('well-known mother-in-law, a 5-year-old')).toEqual([
      'well',
      'know',
      'wellknown',
      'mother',
      'law',
      '5',
      'year',
      'old',
    ]);
    expect(analyse('e-mail x-ray T-shirt F-16')).toEqual(analyse('email xray tshirt F16'));
  });

  it('join initials, and split everything else at dots', () => {
    expect(analyse('7 p.m.')).toEqual(analyse('7 pm'));
    expect(analyse('Great.Thanks! See node.js')).toEqual(['great', 'thank', 'see', 'node', 'js']);
    expect(analyse('jon@example.com')).toEqual(['jon', 'exampl', 'com']);
  });

  it('stay only on one-letter names', () => {
    expect(analyse('C++, C# and C')).toEqual(['c++', 'c#', 'c']);
    expect(analyse('b+c notepad++')).toEqual(['b', 'c', 'notepad']);
  });
});

describe('numbers, dates and times', () => {
  it('are one term each', () => {
    expect(analyse('On 2023-05-08 at 10:30, 3.5 of 8/5/2023; call 555-1234')).toEqual([
      '2023-05-08',
      '10:30',
      '3.5',
      '8/5/2023',
      'call',
      '555-1234',
      '5551234',
    ]);
  });

  it('are separated from punctuation and units', () => {
    expect(analyse('in 2023. Then 2024, 10:30am and 3.5km')).toEqual(['2023', '2024', '10:30', '3.5', 'km']);
    expect(analyse('MP3 8th 90s')).toEqual(['mp3', '8th', '90s']);
  });

  it('lose the thousands separators of their language', () => {
    expect(analyse('1,000 and 1,234,567.89')).toEqual(['1000', '1234567.89']);
    expect(analyse('1.000 und 1.234.567,89 und 3,5', { language: 'de' })).toEqual(['1000', '1234567.89', '3.5']);
    expect(analyse('version 1.000')).toEqual(['version', '1.000']);
  });
});

describe('languages', () => {
  it.each<[Language, string, string]>([
    ['en', 'She was running quickly to the libraries', 'runs quick library'],
    ['de', 'Die Häuser unserer Freunde, schöne Bücher', 'Haus Freund schönes Buch'],
    ['es', 'Las canciones cantadas', 'canción cantando'],
    ['fr', 'Nous mangeons les chevaux', 'mangeons cheval'],
    ['it', 'Ho abbandonato le ragazze', 'abbandonare ragazza'],
    ['nl', 'De boeken van mijn vrienden', 'boek vriend'],
    ['pt', 'Os amigos falaram nas cidades', 'amigo falar cidade'],
    ['ru', 'Я читаю о собаках и книгах', 'читаем собака книга'],
  ])('%s: "%s" has the terms of "%s"', (language, text, query) => {
    expect(analyse(text, { language })).toEqual(analyse(query, { language }));
  });

  it('fold Russian ё to е, but keep й', () => {
    expect(match('ёлка', 'елки', 'ru')).toBe(true);
    expect(analyse('йод', { language: 'ru' })).not.toEqual(analyse('иод', { language: 'ru' }));
    expect(analyse('майка', { language: 'none' })).toEqual(['майка']);
  });

  it('have their own stop words, also recognised without diacritics', () => {
    expect(analyse('También él está en la playa, tambien', { language: 'es' })).toEqual(['play']);
    expect(analyse('the dog', { language: 'de' })).toEqual(['the', 'dog']);
  });

  it('include none, which neither stems words nor removes stop words', () => {
    expect(analyse('The dogs are running', { language: 'none' })).toEqual(['the', 'dogs', 'are', 'running']);
  });

  it.each([
    ['Japanese', '私は昨日東京で寿司を食べました', ['東京', '寿司', '昨日']],
    ['Chinese', '我昨天去了北京大学看我的朋友', ['北京', '大学', '朋友']],
    ['Thai', 'ภาษาไทยเป็นภาษาที่มีระดับเสียง', ['ไทย', 'ภาษา', 'ระดับ']],
    ['Khmer', 'ខ្ញុំស្រឡាញ់ភាសាខ្មែរ', ['ស្រឡាញ់', 'ភាសាខ្មែរ']],
    ['mixed', '买了iPhone手机和Tシャツ', ['iphon', '手机', 'シャツ']],
  ])('split %s text into words', (_script, text, words) => {
    expect(analyse(text)).toEqual(expect.arrayContaining(words));
  });
});

it.each(['私は昨日東京で寿司を食べました', '我昨天去了北京大学看我的朋友', 'ภาษาไทยเป็นภาษาที่มีระดับเสียง'])(
  'finds the same words in a long text as the segmentation of the whole text: %s',
  (sentence) => {
    const text = sentence.repeat(200);
    const segments = [...new Intl.Segmenter('en', { granularity: 'word' }).segment(text)];
    const words = segments.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
    expect(analyse(text, { language: 'none' })).toEqual(words.map((word) => word.normalize('NFKC')));
  },
);

it('keeps the stop words of a text that has nothing else', () => {
  expect(analyse('Who are you?')).toEqual(['who', 'are', 'you']);
  expect(analyse('To be, or not to be')).toEqual(['to', 'be', 'or', 'not', 'to', 'be']);
});

describe('analyse', () => {
  it('accepts four megabytes of marks', () => {
    expect(analyse(`a${'\u0301\u0323'.repeat(2 ** 21)}`)).toEqual(['a']);
  });

  it('returns non-empty terms without spaces, and the same ones each time', () => {
    const languages = fc.constantFrom<Language | undefined>(
      undefined,
      'en',
      'de',
      'es',
      'fr',
      'it',
      'nl',
      'pt',
      'ru',
      'none',
    );
    // For `unit: 'binary'`, fast-check spends seconds on a table of all characters.
    const character = fc
      .integer({ min: 0, max: 0x10f7ff })
      .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));
    const text = fc.oneof(fc.string({ unit: character }), fc.string({ unit: 'grapheme' }), fc.string());
    fc.assert(
      fc.property(text, languages, (text, language) => {
        const terms = analyse(text, { language });
        expect(terms).toEqual(analyse(text, { language }));
        for (const term of terms) expect(term).toMatch(/^\S+$/u);
      }),
    );
  });

  it('returns the same terms for every Unicode form', () => {
    const languages = fc.constantFrom<Language | undefined>(undefined, 'en', 'de', 'pt', 'none');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), languages, (text, language) => {
        const terms = analyse(text, { language });
        for (const form of ['NFC', 'NFD', 'NFKC']) expect(analyse(text.normalize(form), { language })).toEqual(terms);
      }),
    );
  });

  const LANGUAGES = ['en', 'fr', undefined] as const;
  const size = rounds(2 ** 20, 2 ** 18);
  // More than are remembered.
  const distinct = rounds(2 ** 17, 33_000);
  // At this length, all words are pairs.
  const pairs = rounds(2 ** 20, 2 ** 17) / 2;
  it.each([
    ['one word', 'a'.repeat(size), 1],
    ['combining marks, which engines sort in quadratic time', `a${'\u0301\u0323'.repeat(size / 2)}`, 1],
    ['letters that normalise to such marks', `a${`${'\u0301'.repeat(30)}\uff9e`.repeat(size / 32)}`, 1],
    ['marks without a base letter', '\u0323\u0301'.repeat(size / 2), 0],
    ['letters outside the basic plane', '𐌰'.repeat(size / 2), 1],
    ['lone surrogates', '\ud83d'.repeat(size), 0],
    ['NUL', '\0'.repeat(size), 0],
    ['hyphens', 'ab-'.repeat(size / 4), size / 4],
    ['apostrophes', "l'".repeat(size / 2), 1],
    ['points between digits', '1.'.repeat(size / 2), 1],
    ['slashes', '/'.repeat(size), 0],
    ['endless Thai', 'กก'.repeat(pairs), pairs],
    ['a character that normalises to 18 times its length', '\ufdfa'.repeat(size / 16), 4 * (size / 16) + 1],
    ['distinct words', Array.from({ length: distinct }, (_, i) => `xq${i.toString(36)}`).join(' '), distinct],
    ['alternating scripts', 'aя山ก'.repeat(size / 4), (3 * size) / 4],
    ['joined emoji', '👩‍👩‍👧'.repeat(size / 8), (3 * size) / 8],
    ['names in code', 'getUserProfile'.repeat(size / 16), 1],
    ['digits and separators', '12 (3)-'.repeat(size / 8), size / 4],
    ['Hebrew prefixes', 'ו'.repeat(size), 4],
  ])('accepts very long texts: %s', (_name, text, count) => {
    for (const language of LANGUAGES.slice(0, rounds(LANGUAGES.length))) {
      expect(analyse(text, { language })).toHaveLength(count);
    }
  });
});

it('refuses an unknown language, and lists the known ones', () => {
  expect(() => analyse('hello', { language: 'xx' as never })).toThrow(/one of de, en, es, fr, it, nl, pt, ru, none/);
  expect(() => analyse('hello', { language: 'constructor' as never })).toThrow(RangeError);
});
