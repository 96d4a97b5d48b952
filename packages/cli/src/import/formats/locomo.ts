import { isObject } from '@keepsake/internal';
import { brokenInput } from '../broken-input.ts';
import type { Format, UnknownObject } from './format.ts';
import { isoTime } from './iso-time.ts';
import { plainText } from './plain-text.ts';
import { digestOf, toFoundEntry } from './utterance.ts';

const MINUTE_MS = 60_000;

/** Records have no later time. */
const LAST_MS = /* @__PURE__ */ Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A conversation of the LoCoMo benchmark: `session_1`, `session_2` … contain the turns, `session_1_date_time` … their start
 * times. Each session is a thread. In the published dataset, the field `conversation` contains it, next to its questions.
 */
export const locomo: Format = {
  name: 'locomo',
  matches: (value) => Array.isArray(conversationIn(value).session_1),
  *read(value, place) {
    const file = conversationIn(value);
    const conversation = `locomo ${digestOf([file.speaker_a, file.speaker_b, (file.session_1 as unknown[])[0]])}`;
    for (let session = 1; Array.isArray(file[`session_${session}`]); session++) {
      const turns = file[`session_${session}`] as unknown[];
      const when = `${place}, session_${session}_date_time`;
      const startMs = readTime(file[`session_${session}_date_time`], when);
      if (startMs + turns.length * MINUTE_MS > LAST_MS) throw brokenInput(`${when} must be before the year 10000.`);
      for (const [index, turn] of turns.entries()) {
        if (!isObject(turn)) continue;
        const { dia_id, blip_caption } = turn;
        const number = typeof dia_id === 'string' ? dia_id : `session ${session}, turn ${index + 1}`;
        const at = `${place}, ${number}`;
        const speaker = plainText(turn.speaker, `${at}: the speaker`);
        const photo = typeof blip_caption === 'string' ? ` [shares a photo: ${blip_caption}]` : '';
        const said = plainText(turn.text ?? '', `${at}: the text`) + photo;
        const utterance = {
          conversation,
          thread: `${conversation}, session ${session}`,
          key: typeof dia_id === 'string' ? dia_id : [session, index],
          index,
          speaker,
          text: said.trim() === '' ? '' : `${speaker}: ${said}`,
          // Only the session has a time. Adding a minute per turn keeps the turns in order.
          createdAt: isoTime((startMs + index * MINUTE_MS) / 1000),
          metadata: { session, ...(typeof dia_id === 'string' ? { dia_id } : {}) },
        };
        yield toFoundEntry(utterance, at);
      }
    }
  },
};

function conversationIn(value: UnknownObject): UnknownObject {
  return isObject(value.conversation) ? value.conversation : value;
}

/** Parses a time such as `1:56 pm on 8 May, 2023` as UTC. */
function readTime(text: unknown, place: string): number {
  const [, clock, half, day] = /^(\d{1,2}:\d\d) ([ap]m) on (.+)$/.exec(plainText(text, place)) ?? [];
  const time = Date.parse(`${day} ${clock} ${half} UTC`);
  if (Number.isNaN(time)) throw brokenInput(`${place} must be a time, such as "1:56 pm on 8 May, 2023".`);
  return time;
}
