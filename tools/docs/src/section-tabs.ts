/** Makes tabs of the subsections of a section, with a component of the theme. In the repository, they follow one another. */
export function subsectionsAsTabs(text: string, heading: string): string {
  const begin = text.indexOf(`\n## ${heading}\n`) + 1;
  if (begin === 0) throw new Error(`There is no section "${heading}".`);
  const next = text.indexOf('\n## ', begin);
  const end = next === -1 ? text.length : next + 1;
  const [introduction = '', ...subsections] = text.slice(begin, end).split(/^(?=### )/m);
  const tabs = subsections.map((subsection) => `<section>\n\n${subsection.trimEnd()}\n\n</section>\n`);
  return `${text.slice(0, begin)}${introduction}<SectionTabs>\n${tabs.join('')}</SectionTabs>\n\n${text.slice(end)}`;
}
