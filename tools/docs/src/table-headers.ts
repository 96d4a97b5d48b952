/** The part of markdown-it that is used here. */
interface Markdown {
  readonly core: { readonly ruler: { push(name: string, rule: (state: { readonly tokens: Token[] }) => void): void } };
}

interface Token {
  readonly type: string;
  readonly content: string;
  tag: string;
}

/** Makes empty headers of tables ordinary cells, because a screen reader would announce a header without a text. */
export function emptyHeadersAreCells(markdown: Markdown): void {
  markdown.core.ruler.push('empty-headers-are-cells', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const [inline, end] = tokens.slice(index + 1, index + 3);
      if (token.type !== 'th_open' || inline?.content !== '' || end === undefined) continue;
      token.tag = 'td';
      end.tag = 'td';
    }
  });
}
