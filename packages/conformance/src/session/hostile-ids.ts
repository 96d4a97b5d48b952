import assert from 'node:assert/strict';
import type { JsonObject } from '@keepsake/core';
import { holds, refuses } from './expect.ts';
import { anyId, type DurableHarness, durable, type SessionCase, type SessionCaseGroup, shared } from './harness.ts';
import { brief, say } from './items.ts';
import { appendOnce } from './transactions.ts';

/** Similar ids: each must be its own session in every respect. */
function apart(title: string, ids: () => readonly string[]): SessionCase {
  return {
    title,
    when: anyId,
    async run(harness, capabilities) {
      const sessions = ids().map((id) => harness.open(id));
      const items = ids().map((_, index) => [say(`${index} a`), say(`${index} b`)]);
      for (const [index, session] of sessions.entries()) {
        assert.equal(await session.getSessionId(), ids()[index]);
        await holds(session, []);
        await session.addItems([say(`${index} a`)]);
        // One operation id for all: each session must apply it.
        if (durable(capabilities)) await appendOnce(session, 'operation-1', [say(`${index} b`)]);
        else await session.addItems([say(`${index} b`)]);
      }
      const again = shared(capabilities) ? ids().map((id) => harness.open(id)) : sessions;
      for (const [index, session] of again.entries()) await holds(session, items[index] as JsonObject[]);
      // Pops and clears alternately: the other sessions must stay complete.
      for (const [index, session] of again.entries()) {
        assert.equal(brief((await session.popItem()) as JsonObject), `${index} b`);
        await session.clearSession();
        for (let other = index + 1; other < again.length; other++) {
          const [first] = await (again[other] as (typeof again)[0]).getItems();
          assert.equal(first && brief(first), `${other} a`, `${ids()[other]} lost items with ${ids()[index]}`);
        }
      }
    },
  };
}

const long = 'x'.repeat(299);

const lookAlikes: SessionCase[] = [
  apart('ids that are paths name sessions, not places', () => [
    ...[
      '.',
      '..',
      '../',
      '../../',
      '../x',
      './x',
      'x/../y',
      'x',
      'y',
      'x/y',
      'x//y',
      '/x',
      '/etc/passwd',
      '/tmp/x',
      '~',
    ],
    ...['..\\x', 'x\\y', '\\\\host\\share', 'C:\\x', 'C:', 'file:///x', 'x/', 'x\\', '-', '--help', '-rf'],
  ]),
  apart('ids with glob characters match nothing but themselves', () => [
    ...[
      'a',
      'a*',
      'ab',
      'a?',
      'a[b]',
      'a[a-z]',
      '*',
      '**',
      '?',
      '[ab]',
      '[^a]',
      '{a,b}',
      'b',
      'a\\*',
      'a|b',
      'a.',
      'a.*',
    ],
  ]),
  apart('ids with the wildcards of SQL match nothing but themselves', () => [
    ...['a_', 'ab', 'a%', 'abc', '%', '_', '%%', 'a\\_', 'a\\%', "a'", "a''", 'a"', "' OR '1'='1", 'a;--', 'a--', '$1'],
  ]),
  apart('ids with separators stay whole', () => [
    ...[
      'a:b',
      'a',
      'b',
      'a:',
      ':a',
      'a::b',
      'a:b:c',
      ':',
      'a/b',
      'a.b',
      'a-b',
      'a_b',
      'a b',
      'a,b',
      'a|b',
      'a#b',
      'a=b',
    ],
  ]),
  apart('ids that look percent-encoded are not decoded', () => [
    ...[
      '%2e',
      '.',
      '%2e%2e%2f',
      '..%2f',
      '%2F',
      '%2f',
      '%252f',
      '%',
      '%%',
      'a%2Fb',
      'a/b',
      '%00',
      '%41',
      'A',
      'a+b',
      'a b',
    ],
  ]),
  apart('an id is not its prefix or its extension', () => [
    ...[
      'user',
      'user1',
      'user10',
      'user:1',
      'user:10',
      'use',
      'user ',
      'user.json',
      'user.jsonl',
      'user.log',
      'user.lock',
    ],
    ...['user.tmp', 'user~', 'user:items', 'user:ops', 'user:meta', 'user:operations', 'user-1', 'user-wal', '.user'],
  ]),
  apart('ids that differ in case are different', () => [
    'Alice',
    'alice',
    'ALICE',
    'aLICE',
    'ß',
    'ẞ',
    'SS',
    'ss',
    'ı',
    'I',
    'i',
  ]),
  apart('ids that look the same in Unicode are different', () => [
    ...['caf\u00e9', 'cafe\u0301', 'cafe', '\u212b', '\u00c5', 'A\u030a', '\ufb01', 'fi', '\uff41', 'a', '\u0430'],
    ...['a\u200b', 'a\u200d', 'a\ufeff', '\ufeffa', 'a\u00ad', 'a\u0301', '\u202ea'],
  ]),
  apart('ids that are reserved names of operating systems are ordinary', () => [
    ...[
      'CON',
      'con',
      'con.',
      'con ',
      'NUL',
      'nul.txt',
      'AUX',
      'PRN',
      'COM1',
      'com1.log',
      'LPT1',
      'x.',
      'x ',
      'x',
      ' x',
    ],
    ...['.gitignore', '.DS_Store', 'desktop.ini', 'index', 'default', 'null', 'undefined', 'true', '0', '-1', 'NaN'],
  ]),
  apart('ids that are names of built-in object properties are ordinary', () => [
    ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'length'],
  ]),
  apart('ids with line breaks, control characters and spaces stay as they are', () => [
    ...[
      'a\nb',
      'a\r\nb',
      'a\tb',
      'a b',
      'a  b',
      'ab',
      'a\n',
      '\n',
      ' ',
      '  ',
      '\t',
      '\x01',
      '\x7f',
      '\u2028',
      '\u00a0',
      'a\x1b[31m',
    ],
  ]),
  apart('ids with the hash tags of a cluster are ordinary', () => [
    ...['{a}', 'a', '{a}b', 'b{a}', '{}', '{}a', '}{', '{a', 'a}', '{{a}}', '{a}{b}'],
  ]),
  apart('ids of emoji and rare scripts are ordinary', () => [
    '🙂',
    '🙃',
    '👩‍👩‍👧',
    '👩',
    '𝒳',
    '\u{10ffff}',
    '日本語',
    '日本',
    'שלום',
    '\uffff',
  ]),
  apart('long ids that differ in one character are different', () => [
    ...[`${long}a`, `${long}b`, `a${long}`, long, `${long}xx`, 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(128)],
    ...['é'.repeat(300), `${'é'.repeat(299)}e`, '/'.repeat(300), '%2F'.repeat(100), '🙂'.repeat(150)],
  ]),
  apart('an id may have 512 characters', () => [
    'y'.repeat(512),
    'y'.repeat(511),
    '語'.repeat(512),
    '/'.repeat(512),
    '🙂'.repeat(256),
  ]),
];

function refused(title: string, ids: readonly unknown[]): SessionCase {
  return {
    title,
    when: anyId,
    async run(harness: DurableHarness) {
      for (const id of ids) {
        const why = `for an id of type ${typeof id}`;
        await refuses('INVALID_ARGUMENT', () => harness.open(id as string).getItems(), why);
        await refuses('INVALID_ARGUMENT', () => harness.open(id as string).addItems([say('text')]), why);
      }
    },
  };
}

const refusals: SessionCase[] = [
  refused('an empty id is refused', ['']),
  refused('an id with a NUL character is refused', ['\0', 'a\0', 'a\0b', '../x\0.jsonl']),
  refused('an id with a lone surrogate is refused', ['\ud800', 'a\udfffb', '\udc00\ud800', '🙂\ud83d']),
  refused('an id of more than 512 characters is refused', ['x'.repeat(513), '🙂'.repeat(257), 'x'.repeat(100_000)]),
  refused('an id that is not a string is refused', [null, 42, {}, ['a'], true, Symbol('a')]),
];

export const hostileIds: SessionCaseGroup = { concern: 'ids', cases: [...lookAlikes, ...refusals] };
