import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { REPOSITORY, root } from './repository.ts';
import { subsectionsAsTabs } from './section-tabs.ts';

/** A page of the site, made of a file of the repository. */
export interface Page {
  /** Of the file, relative to the repository, with `/`. */
  readonly source: string;
  /** Of the page on the site, without a leading `/` or an extension. */
  readonly path: string;
  readonly text: string;
}

/** A line of images from other hosts, which the site does not tell who reads it. */
const BADGES = /^(?:\[?!\[[^\]]*\]\(https:[^)]*\)(?:\]\([^)]*\))? ?)+$\n?/gm;

const STARTED = 'docs/getting-started.md';
/** The heading of the section that has a subsection for each framework. */
const FRAMEWORKS = 'Let an agent use it';

const SOURCES = ['README.md', 'docs/*.md', 'packages/!(internal)/README.md'];

/** Every page except the reference, with links that work on the site. */
export function readPages(): Page[] {
  const sources = globSync(SOURCES, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const paths = new Map(sources.map((source) => [source, pathOf(source)]));
  return sources.sort().map((source) => {
    const text = rewriteLinks(readFileSync(join(root, source), 'utf8').replace(BADGES, ''), source, paths);
    return { source, path: pathOf(source), text: source === STARTED ? subsectionsAsTabs(text, FRAMEWORKS) : text };
  });
}

/** The path on the site of a file of the repository. */
export function pathOf(source: string): string {
  if (source === 'README.md') return 'overview';
  return source.replace(/^docs\//, '').replace(/(?:\/README)?\.md$/, '');
}

const LINK = /(?<=\]\()[^()\s]+(?=\))/g;
const CODE = /^```.*?^```|`[^`\n]+`/gms;

/** Rewrites links to files of the repository: to their pages, else to the repository's own site. */
function rewriteLinks(text: string, source: string, paths: ReadonlyMap<string, string>): string {
  let rewritten = '';
  let from = 0;
  const rewrite = (part: string) => part.replace(LINK, (link) => linkOnSite(link, source, paths));
  for (const { index, 0: code } of text.matchAll(CODE)) {
    rewritten += rewrite(text.slice(from, index)) + code;
    from = index + code.length;
  }
  return rewritten + rewrite(text.slice(from));
}

function linkOnSite(link: string, source: string, paths: ReadonlyMap<string, string>): string {
  const [target = '', anchor] = link.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const inRepository = target.match(`^${REPOSITORY}/(?:blob|tree)/main/(.+)$`)?.[1];
  if (inRepository === undefined && (target === '' || /^[a-z]+:/.test(target))) return link;
  const file = inRepository ?? posix.join(dirname(source), target);
  // Images are copied to the site, see build.ts.
  if (file.startsWith('docs/images/')) return file.slice('docs'.length);
  const page = paths.get(file) ?? paths.get(posix.join(file, 'README.md'));
  return page === undefined ? `${REPOSITORY}/tree/main/${file}${hash}` : `/${page}${hash}`;
}

/** Shorter sentences are followed by the next one. */
const DESCRIPTION_LENGTH = 40;

/** The beginning of the first paragraph, in whole sentences, as plain text. */
export function describePage(text: string): string {
  const paragraph = text.split(/\n{2,}/).find((block) => /^[A-Za-z*`[]/.test(block)) ?? '';
  const plain = paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .replaceAll('\n', ' ')
    .trim();
  const end = plain.slice(DESCRIPTION_LENGTH).search(/[.?!](?= |$)/);
  return end === -1 ? plain.replace(/:$/, '.') : plain.slice(0, DESCRIPTION_LENGTH + end + 1);
}
