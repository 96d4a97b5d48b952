import { allItems } from '@keepsake/internal';
import { expectKnownFields } from '../../common/check-fields.ts';
import { readList } from '../../common/read-values.ts';
import { checkId } from '../../common/text.ts';
import { PAGE_OPTIONS, type Page, type PageOptions, pageLimit } from '../../store/page.ts';
import { type DeadLetter, type DeadLetters, publicLetter, type StoredLetter } from './dead-letters.ts';
import type { FlushResult } from './flush-result.ts';
import type { StoreSaver } from './store-saver.ts';

/** The dead letters of a manager. There are none without an outbox. Methods with `ids` ignore unknown ones. */
export class LetterBox {
  readonly #letters: DeadLetters | undefined;
  readonly #savers: readonly StoreSaver[];

  constructor(letters: DeadLetters | undefined, savers: readonly StoreSaver[]) {
    this.#letters = letters;
    this.#savers = savers;
  }

  /** A page of letters, oldest first. */
  async list(options: PageOptions = {}): Promise<Page<DeadLetter>> {
    const pageOptions = expectKnownFields(options, PAGE_OPTIONS);
    pageLimit(pageOptions);
    const page = await this.#letters?.list(pageOptions);
    return page === undefined ? { items: [] } : { ...page, items: page.items.map(publicLetter) };
  }

  /** Tries their messages again, each alone. Removes the letters of those that are saved. */
  async retry(ids?: readonly string[]): Promise<FlushResult> {
    const chosen = await this.#find(ids);
    const letters = this.#letters;
    const results = await Promise.all(
      this.#savers.map(async (saver) => {
        const own = chosen.filter(({ storeName }) => storeName === saver.name);
        const saved = letters === undefined ? 0 : await saver.retry(letters, own);
        return [saver.name, { saved, failed: own.length - saved }] as const;
      }),
    );
    return Object.fromEntries(results);
  }

  /** Removes them for good. Returns how many there were. */
  async delete(ids?: readonly string[]): Promise<number> {
    let count = 0;
    for (const { id } of await this.#find(ids)) if (await this.#letters?.remove(id)) count++;
    return count;
  }

  async #find(ids: readonly string[] | undefined): Promise<StoredLetter[]> {
    const letters = this.#letters;
    if (ids !== undefined) {
      const checkedIds = readList(ids, '`ids`');
      for (const id of checkedIds) checkId(id, 'id of a dead letter');
      return letters?.find(checkedIds) ?? [];
    }
    const all: StoredLetter[] = [];
    if (letters !== undefined) for await (const letter of allItems((page) => letters.list(page))) all.push(letter);
    return all;
  }
}
