import { AbstractSession, type AskedHistory, type DecideEdit, type SessionBackend } from '../../src/adapter.ts';

/** The smallest backend: JSON texts that a test can damage. `''` is a damaged item of which nothing is left. */
export class StoredTexts implements SessionBackend {
  texts: readonly string[];
  digests = new Map<string, string>();

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  newest(limit: number): readonly string[] {
    return this.texts.slice(Math.max(0, this.texts.length - limit));
  }

  append(items: readonly string[]): void {
    this.texts = [...this.texts, ...items];
  }

  change({ items, operation }: AskedHistory, decide: DecideEdit): void {
    const digest = operation && this.digests.get(operation.operationId);
    const edit = decide({ exists: true, items: items === 0 ? [] : this.newest(items), digest });
    if (edit === undefined) return;
    this.texts = [...this.texts.slice(0, Math.max(0, this.texts.length - edit.drop)), ...edit.append];
    if (edit.forgetOperations) this.digests.clear();
    if (operation) this.digests.set(operation.operationId, operation.digest);
  }
}

export class TextSession extends AbstractSession {
  constructor(backend: SessionBackend) {
    super('texts', backend);
  }
}
