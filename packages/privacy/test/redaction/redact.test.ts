import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactJson, redactText } from '../../src/index.ts';
import { FORMS as NAMED_FORMS, HARMLESS as NAMED_HARMLESS } from './forms.ts';
import { SAID_FORMS, SAID_HARMLESS } from './said-forms.ts';
import { TOKENS } from './tokens.ts';
import { WRAPPED_FORMS, WRAPPED_HARMLESS } from './wrapped-forms.ts';

const FORMS = [...NAMED_FORMS, ...WRAPPED_FORMS, ...SAID_FORMS];
const HARMLESS = [...NAMED_HARMLESS, ...WRAPPED_HARMLESS, ...SAID_HARMLESS];

/** The places where tokens are found, under a name that gives nothing away. */
const PLACES: readonly (readonly [name: string, (secret: string) => string])[] = [
  ['alone', (secret) => secret],
  ['in a sentence', (secret) => `Use ${secret}, and then go on.`],
  ['in shell', (secret) => `export SOME_VALUE='${secret}'; run`],
  ['in .env', (secret) => `SOME_VALUE=${secret}\nOTHER=1`],
  ['in JSON', (secret) => JSON.stringify({ some: secret, other: 1 })],
  ['in JSON within JSON', (secret) => JSON.stringify({ body: JSON.stringify({ some: `\n${secret}` }) })],
  ['in YAML', (secret) => `some:\n  value: ${secret}\n  other: 1`],
  ['in a URL', (secret) => `https://example.org/path?some=${secret}&other=1`],
];

/** Whether six characters in a row of a secret are left. */
function leaks(redacted: string, secret: string): boolean {
  if (secret.length <= 6) return redacted.includes(secret);
  return Array.from({ length: secret.length - 5 }, (_, start) => secret.slice(start, start + 6)).some((part) =>
    redacted.includes(part),
  );
}

/** What comes before secrets of any length. */
const LONG_SECRETS = ['sk_live_', 'xoxb-', 'requirepass ', '\nh:5432:db:u:', '-----BEGIN PRIVATE KEY-----\n'];

/** The beginnings of many forms, over and over. */
const HOSTILE =
  'a- password password_ token:_ x:// eyJ -----BEGIN_PRIVATE_KEY----- sk- bearer_ curl_ mysql_-p login_a_password_ a:1: @ : =" \\" Cookie:_ Authorization:_ https://a:b $apr1$ Private-Lines:_1 1//0 pass: a.b:80:a:b: key"_value" secret" A1 0123456789abcdef- hv. -eyJaaaaaaaa -----BEGIN_PRIVATE_KEY-----" -----BEGIN_A_PRIVATE_KEY-----" -Cookie: token: token=[ Authorization:""1 Authorization:[1 ?sig= curl_-u_" curl_-ua %3D %3Ftoken%3D password=a& PWD=a; PWD={ | password_| **Password:** password_is_ value:_a_name:_ @tcp( a:b@tcp( <td>Password</td><td> password:_|_a ldap_-w a&b token_ QUJD REJfUEFTU1dPUkQ9 seed:_ seed_is_abandon_ abandon_ password_for_ password_for_a_ password_(a password_(a)_ Password:_a_b_ passphrase_is_horse_ hunter22_is_the_password_ password:_\'\' password:_\'\'\' x://a:b/ x://a:b/@ /@ GR16_ eyJaaaaaaaa. eyJaaaaaaaa.. token":"a", xoxd-% OPENAI_KEY=a1 ["password","a", 密码：'
    .split(' ')
    .map((part) => part.replaceAll('_', ' '));

describe('redactText', () => {
  it.each(TOKENS)('redacts the whole of a token: %s', (_, token) => {
    // What says which service it is may stay: the host of a webhook, the name of a header.
    const secret = token.replace(/^(?:https:\/\/[a-z.]+\/|[A-Za-z-]+[:=]\s?(?=\S{30}))/, '');
    const left = PLACES.filter(([, put]) => leaks(redactText(put(token)), secret)).map(([place]) => place);
    expect(left).toEqual([]);
  });

  it.each(FORMS)('redacts a secret that only its surroundings reveal: $name', ({ text, secrets }) => {
    const redacted = redactText(text);
    expect(redacted).toContain('[redacted]');
    for (const secret of secrets) expect(leaks(redacted, secret), redacted).toBe(false);
  });

  it('keeps what only looks like a secret', () => {
    const changed = HARMLESS.map((text) => [text, redactText(text)]).filter(([text, redacted]) => text !== redacted);
    expect(changed).toEqual([]);
  });

  it('has at least 160 forms of secrets beside tokens, and 80 texts that look like some', () => {
    expect(FORMS.length).toBeGreaterThanOrEqual(160);
    expect(HARMLESS.length).toBeGreaterThanOrEqual(80);
  });

  it('keeps everything around a secret', () => {
    expect(redactText('a DB_PASSWORD="correct horse" b')).toBe('a DB_PASSWORD="[redacted]" b');
    expect(redactText('curl -u alice:opensesame x')).toBe('curl -u alice:[redacted] x');
    expect(redactText('postgres://app:opensesame@db/app')).toBe('postgres://app:[redacted]@db/app');
    expect(redactText('Authorization: Bearer 0123456789abcdef')).toBe('Authorization: Bearer [redacted]');
    expect(redactText('No secret here.')).toBe('No secret here.');
  });

  it('takes time linear in the length of hostile texts', () => {
    for (const part of HOSTILE) {
      const text = part.repeat(Math.ceil(rounds(500_000, 50_000) / part.length));
      expect(typeof redactText(text)).toBe('string');
    }
  });
});

/** One place each for all that may hold a value, which must not end before the value does. */
const LONG_VALUES: readonly (readonly [before: string, after: string])[] = [
  ['password=', ' b'],
  ['password: "', '" b'],
  ['client-key-data: ', '\nb'],
  ['Authorization: Bearer ', '\nb'],
  ['Cookie: session=', '\nb'],
  ['https://example.org/?sig=', '&b'],
];

describe('long values', () => {
  it.each(LONG_VALUES)('are redacted whole: %s', (before, after) => {
    const redacted = redactText(before + 'aB3dE5gH'.repeat(2_000) + after);
    expect(redacted).toMatch(/^.{0,30}\[redacted\]/);
    expect(redacted).not.toContain('aB3dE5gH');
    expect(redacted.endsWith(after)).toBe(true);
  });

  it('of one kind of letter take no longer than others, whatever follows', () => {
    for (const letter of ['i', 'aB', 'a_', 'a b', "a'b"]) {
      const value = letter.repeat(10_000);
      for (const text of [
        `["password","${value}1"]`,
        `password: ${value}`,
        `The password is ${value}`,
        `seed is ${value}`,
      ])
        expect(redactText(`${text} `).length).toBeLessThanOrEqual(text.length + 20);
    }
  });

  it('are no placeholders because they begin like one', () => {
    expect(redactText(`password=${'x'.repeat(300)}opensesame`)).toBe('password=[redacted]');
  });

  it('are found after a web token that a hyphen hides', () => {
    const token = `eyJ${'aB3'.repeat(10)}.eyJ${'cD4'.repeat(10)}.${'eF5'.repeat(10)}`;
    for (const before of ['', 'id-', 'a-long-name-before-it-', 'abcdefghijkl.', '\\n', '__'])
      expect(redactText(`x ${before}${token} y`)).toBe(`x ${before}[redacted] y`);
  });

  it('of a key end at the nearest end of its kind', () => {
    const key = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----\nMIIE"\n-----END ${kind}PRIVATE KEY-----`;
    const text = `${key('RSA ')} a ${key('')} b ${key('RSA ')} c -----BEGIN RSA PRIVATE KEY-----\nMIIE" d`;
    expect(redactText(text)).toBe('[redacted] a [redacted] b [redacted] c [redacted]" d');
    expect(redactText('-----BEGIN PRIVATE KEY-----"-----END RSA PRIVATE KEY-----END PRIVATE KEY----- e')).toBe(
      '[redacted] e',
    );
  });
});

describe('redactJson', () => {
  it.each(FORMS)('redacts a string of JSON within JSON: $name', ({ text, secrets }) => {
    const redacted = JSON.stringify(redactJson({ arguments: JSON.stringify({ command: `cd /tmp\n${text}` }) }));
    for (const secret of secrets)
      for (const line of secret.split('\n')) expect(leaks(redacted, line), redacted).toBe(false);
  });

  it('keeps a string of JSON as it is written if it holds no secret', () => {
    const text = '{ "b": 1,\n  "a": [1, 2] }';
    expect(redactJson({ text })).toEqual({ text });
  });

  it('redacts what follows the name of a secret in a list, also in a string of JSON', () => {
    const lists = [
      ['mysql', '--password', 'opensesame', '--verbose', 'app'],
      ['Accept', 'text/plain', 'Authorization', 'Basic b3BlbnNlc2FtZTE=', 'X-Api-Token', 'opensesame1'],
      ['deploy', '--token', 'opensesame', '--password', '--force'],
    ];
    const redacted = [
      ['mysql', '--password', '[redacted]', '--verbose', 'app'],
      ['Accept', 'text/plain', 'Authorization', '[redacted]', 'X-Api-Token', '[redacted]'],
      ['deploy', '--token', '[redacted]', '--password', '--force'],
    ];
    expect(redactJson(lists)).toEqual(redacted);
    expect(redactJson(JSON.stringify(lists))).toBe(JSON.stringify(redacted));
    expect(redactJson(['auth', 'billing', 'token', 'limits'])).toEqual(['auth', 'billing', 'token', 'limits']);
  });

  it('redacts strings, names, fields named like a secret, and pairs of name and value', () => {
    const token = TOKENS.find(([name]) => name === 'npm token')?.[1] ?? '';
    expect(
      redactJson({
        password: 90210777,
        tokens: 512,
        apiKey: ['one', { deep: 'two' }],
        nextPageToken: 'CAUQAA1b2c3d4e5f6',
        note: `see ${token}`,
        [token]: 'x',
        empty: { secret: '', token: null, cookie: false },
        env: [
          { name: 'DB_PASSWORD', value: 'opensesame' },
          { key: 'EDITOR', value: 'vi' },
          { ParameterKey: 'DbPassword', ParameterValue: 'opensesame' },
        ],
        headers: [
          ['Authorization', 'x'],
          ['Accept', 'text/plain'],
        ],
      }),
    ).toEqual({
      password: '[redacted]',
      tokens: 512,
      apiKey: '[redacted]',
      nextPageToken: 'CAUQAA1b2c3d4e5f6',
      note: 'see [redacted]',
      '[redacted]': 'x',
      empty: { secret: '', token: null, cookie: false },
      env: [
        { name: 'DB_PASSWORD', value: '[redacted]' },
        { key: 'EDITOR', value: 'vi' },
        { ParameterKey: 'DbPassword', ParameterValue: '[redacted]' },
      ],
      headers: [
        ['Authorization', '[redacted]'],
        ['Accept', 'text/plain'],
      ],
    });
  });
});

it('redacts words and secrets of millions of letters', () => {
  const letters = 'aB3'.repeat(rounds(3_500_000, 700_000));
  expect(redactText(letters) === letters).toBe(true);
  for (const before of LONG_SECRETS) expect(redactText(`a ${before}${letters}`).length).toBeLessThan(100);
});

describe('redacting again', () => {
  const texts = [...TOKENS.map(([, token]) => token), ...FORMS.map(({ text }) => text), ...HARMLESS];
  const changesWhatIsRedacted = (redact: (text: string) => string) => (text: string) =>
    redact(redact(text)) !== redact(text);

  it.each(PLACES)('changes nothing: %s', (_, put) => {
    expect(texts.map(put).filter(changesWhatIsRedacted(redactText))).toEqual([]);
    expect(texts.map(put).filter(changesWhatIsRedacted(redactJson))).toEqual([]);
  });

  it.each([
    ['on lines', 'Nothing to see here.\n'],
    ['on one line', 'Nothing to see here. '],
  ])('changes nothing in a long text with secrets far from each other, %s', (_, filler) => {
    // What is left around its first secret is the second one.
    const both = '密码：a:b@tcp(';
    expect(redactText(both)).toBe('密码：[redacted]@tcp(');
    const redacted = redactText([both, ...texts, both].join(`\n\n${filler.repeat(100)}\n\n`));
    expect(redactText(redacted)).toBe(redacted);
  });

  it('changes nothing in mixtures of the beginnings of secrets', () => {
    const others = ['[redacted]', ' ', '\n', 'opensesame1', '{', '}', '\\"', 'some words '.repeat(60)];
    const text = fc.array(fc.constantFrom(...HOSTILE, ...others));
    fc.assert(
      fc.property(text, (parts) => {
        const once = redactJson(parts.join(''));
        expect(redactJson(once)).toBe(once);
      }),
      { numRuns: rounds(1_000, 300) },
    );
  });
});

it('redacts JSON in a string as plain text if it nests deeper than 500 levels', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}"ghp_${'a1B2'.repeat(9)}"${']'.repeat(depth)}`;
  for (const depth of [400, 3_000, 100_000]) {
    expect(redactJson({ output: nested(depth) })).toEqual({
      output: `${'['.repeat(depth)}"[redacted]"${']'.repeat(depth)}`,
    });
  }
  // Each string is shallow, all together are not.
  let text = '"x"';
  for (let level = 0; level < 14; level++) text = `${'['.repeat(400)}${JSON.stringify(text)}${']'.repeat(400)}`;
  expect(redactJson({ output: text })).toEqual({ output: text });
});
