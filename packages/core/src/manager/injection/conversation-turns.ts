import { type Message, messageText } from '../../model/message.ts';
import { isAsk } from './is-user-ask.ts';
import { textHash } from './text-hash.ts';
import type { Place, Turn } from './turn.ts';

/** The number of histories per conversation. Another request, such as for a title, has its own. */
const MAX_HISTORIES = 4;
/** The number of places to try for the newest turn. */
const MAX_PLACES = 16;

/**
 * Finds the turns of a conversation in the messages of each request. The messages can be copies, and the oldest can be gone
 * or replaced by a summary: a turn is recognized by the user's message, the text before it, and its order.
 */
export class ConversationTurns {
  /** Most recently used first. */
  #histories: readonly History[] = [];
  readonly #hashes = new Hashes();

  /** The turn of each message of the user, oldest first. Forgets turns whose message is gone. */
  of(messages: readonly Message[]): readonly Place[] {
    const asks = asksIn(messages, this.#hashes);
    if (asks.length === 0) return [];
    const isWaiting = asks.at(-1)?.index === messages.length - 1;
    let best: { readonly history: History; readonly match: Match } | undefined;
    for (const history of this.#histories) {
      const match = history.match(asks, isWaiting);
      if (match.score > (best?.match.score ?? 0)) best = { history, match };
    }
    const history = best?.history ?? new History();
    this.#histories = [history, ...this.#histories.filter((other) => other !== history)].slice(0, MAX_HISTORIES);
    const turns = history.continue(asks, best?.match ?? NO_MATCH);
    return asks.map(({ index }, order) => ({ index, turn: turns[order] as Turn }));
  }

  /** Ends the turn. If the user then asks the same again, that is another turn. */
  end(): void {
    for (const history of this.#histories) history.end();
  }
}

/** A message of the user in a request. */
interface Ask {
  readonly index: number;
  readonly text: string;
  /** The text of the message before it; `undefined` if there is none. */
  readonly before: () => string | undefined;
}

/** A turn, with its texts when it was new. */
interface KnownTurn extends Turn {
  readonly text: string;
  readonly before: string | undefined;
}

/** The assignment of asks to known turns. */
interface Match {
  /** The number of known turns before the first ask. */
  readonly offset: number;
  /** Whether the last ask begins another turn, whatever its text. */
  readonly isNew: boolean;
  /** 0 if no ask is known. */
  readonly score: number;
}

const NO_MATCH: Match = { offset: 0, isNew: true, score: 0 };

class History {
  #turns: readonly KnownTurn[] = [];
  #hasEnded = false;

  /** @param isWaiting - Whether nothing follows the last ask. */
  match(asks: readonly Ask[], isWaiting: boolean): Match {
    const isNew = this.#hasEnded && isWaiting;
    const old = isNew ? asks.slice(0, -1) : asks;
    const newest = this.#turns.length - 1;
    // The score that `#score` gives in this case.
    if (this.#hasGrown(old)) return { offset: 0, isNew, score: 3 * this.#turns.length - 1 };
    // Of equals, the newest turn at the end is the most likely: messages go from the front. Or its message is gone.
    const places = old.flatMap(({ text }, order) => (text === this.#turns[newest]?.text ? [newest - order] : []));
    let best: Match = { offset: 0, isNew, score: 0 };
    for (const offset of [...places.slice(-MAX_PLACES).reverse(), 0]) {
      const score = this.#score(old, offset);
      if (score > best.score) best = { offset, isNew, score };
    }
    return best;
  }

  /** Makes the asks the turns of this history. The last one is known only if it is the newest turn. */
  continue(asks: readonly Ask[], { offset, isNew }: Match): readonly Turn[] {
    const newest = this.#turns.length - 1;
    this.#turns = asks.map((ask, order) => {
      const turn = this.#turns[order + offset];
      const canBeKnown = order < asks.length - 1 || (!isNew && order + offset === newest);
      return canBeKnown && turn?.text === ask.text ? turn : { text: ask.text, before: ask.before() };
    });
    this.#hasEnded = false;
    return this.#turns;
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Whether the asks are the known turns, perhaps with others after them: the usual case, and cheap. */
  #hasGrown(asks: readonly Ask[]): boolean {
    const newest = this.#turns.length - 1;
    return (
      newest >= 0 &&
      this.#turns.every(({ text }, order) => text === asks[order]?.text) &&
      this.#turns[newest]?.before === asks[newest]?.before()
    );
  }

  /** The same text before an ask counts most, another one least. None is there where older messages are gone. */
  #score(asks: readonly Ask[], offset: number): number {
    let score = 0;
    for (const [order, { text, before }] of asks.entries()) {
      const turn = this.#turns[order + offset];
      if (turn?.text !== text) continue;
      const previous = before();
      score += previous === undefined ? 2 : previous === turn.before ? 3 : 1;
    }
    return score;
  }
}

/** Hashes the texts of messages. The same object is hashed once, because most callers pass it again and again. */
class Hashes {
  readonly #entries = new WeakMap<Message, { readonly content: Message['content']; readonly hash: string }>();

  of(message: Message): string {
    const entry = this.#entries.get(message);
    if (entry?.content === message.content) return entry.hash;
    const hash = textHash(messageText(message));
    this.#entries.set(message, { content: message.content, hash });
    return hash;
  }
}

function asksIn(messages: readonly Message[], hashes: Hashes): readonly Ask[] {
  return messages.flatMap((message, index): Ask[] => {
    if (!isAsk(message)) return [];
    const previous = messages[index - 1];
    const before = () => previous && hashes.of(previous);
    return [{ index, text: hashes.of(message), before }];
  });
}
