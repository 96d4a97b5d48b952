import { describePage, type Page, pathOf } from './pages.ts';
import type { Section } from './sections.ts';

/** The text of `llms.txt`: what the project is, and all pages with their descriptions, for agents that read the site. */
export function llmsText(sections: readonly Section[], pages: readonly Page[], site: string): string {
  const texts = new Map(pages.map(({ source, text }) => [source, text]));
  const about = describePage(texts.get('README.md') ?? '');
  const parts = sections.map(({ title, pages }) => {
    const lines = pages.map(([name, source]) => {
      return `- [${name}](${site}/${pathOf(source)}): ${describePage(texts.get(source) ?? '')}`;
    });
    return [`## ${title}`, '', ...lines].join('\n');
  });
  return `${['# Keepsake', `> ${about}`, ...parts].join('\n\n')}\n`;
}
