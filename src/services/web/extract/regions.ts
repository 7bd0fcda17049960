/** What part of a page an element is, as bits; most hold for everything within it as well. */
export const REGIONS = {
  invisible: 1,
  link: 1 << 1,
  strong: 1 << 2,
  main: 1 << 3,
  article: 1 << 4,
  navigation: 1 << 5,
  header: 1 << 6,
  footer: 1 << 7,
  aside: 1 << 8,
  form: 1 << 9,
  figure: 1 << 10,
  table: 1 << 11,
  list: 1 << 12,
  dialog: 1 << 13,
  hidden: 1 << 14,
  pre: 1 << 15,
  quote: 1 << 16,
  section: 1 << 17,
  control: 1 << 18,
  search: 1 << 19,
  articleBody: 1 << 20,
  product: 1 << 21,
  review: 1 << 22,
  nestedArticle: 1 << 23,
  /** Where an author is named. */
  byline: 1 << 24,
  /** Parts whose dates belong to something else. */
  elsewhere: 1 << 25,
  /** The description of a thing, by its item property. */
  description: 1 << 26,
} as const;

const BY_ELEMENT: ReadonlyMap<string, number> = new Map([
  ['a', REGIONS.link],
  ['b', REGIONS.strong],
  ['strong', REGIONS.strong],
  ['main', REGIONS.main],
  ['article', REGIONS.article],
  ['nav', REGIONS.navigation | REGIONS.elsewhere],
  ['menu', REGIONS.navigation],
  ['header', REGIONS.header],
  ['footer', REGIONS.footer | REGIONS.elsewhere],
  ['aside', REGIONS.aside | REGIONS.elsewhere],
  ['form', REGIONS.form],
  ['figure', REGIONS.figure],
  ['table', REGIONS.table],
  ['ul', REGIONS.list],
  ['ol', REGIONS.list],
  ['dialog', REGIONS.dialog],
  ['pre', REGIONS.pre],
  ['code', REGIONS.pre],
  ['blockquote', REGIONS.quote],
  ['section', REGIONS.section],
  ['button', REGIONS.control],
  ['label', REGIONS.control],
  ['select', REGIONS.control],
  ['option', REGIONS.control],
  ['textarea', REGIONS.control],
]);

const BY_ROLE: ReadonlyMap<string, number> = new Map([
  ['main', REGIONS.main],
  ['article', REGIONS.article],
  ['navigation', REGIONS.navigation],
  ['menu', REGIONS.navigation],
  ['menubar', REGIONS.navigation],
  ['banner', REGIONS.header],
  ['contentinfo', REGIONS.footer],
  ['complementary', REGIONS.aside],
  ['search', REGIONS.search],
  ['dialog', REGIONS.dialog],
  ['alertdialog', REGIONS.dialog],
  ['button', REGIONS.control],
  ['tab', REGIONS.control],
]);

const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

const BYLINE = /byline|author/i;
const ELSEWHERE = /comment|related|sidebar|widget|footer|recommend|popular/i;

function byNames({ class: names = '', id = '', itemprop }: Readonly<Record<string, string>>): number {
  const isByline = itemprop === 'author' || BYLINE.test(names);
  const isElsewhere = ELSEWHERE.test(names) || ELSEWHERE.test(id);
  return (isByline ? REGIONS.byline : 0) | (isElsewhere ? REGIONS.elsewhere : 0);
}

function byItem(item: string | undefined): number {
  if (item === undefined) return 0;
  if (/articleBody|^text$/.test(item)) return REGIONS.articleBody;
  if (item === 'description') return REGIONS.description;
  return item === 'review' || item === 'reviewBody' ? REGIONS.review : 0;
}

function byType(type: string | undefined): number {
  if (type === undefined) return 0;
  if (/\/Product$/.test(type)) return REGIONS.product;
  return /\/(?:Review|Comment)$/.test(type) ? REGIONS.review : 0;
}

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  if (attributes.hidden !== undefined || attributes['aria-hidden'] === 'true') return true;
  const { style } = attributes;
  return style !== undefined && HIDING_STYLE.test(style.slice(0, 300));
}

/** The regions of an element: its own and those of the element around it. */
export function pageRegionsOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  around: number,
  isInvisible: boolean,
): number {
  // A head that was never closed does not hide the body.
  let regions = around | (BY_ELEMENT.get(name) ?? 0);
  if (isInvisible) regions |= REGIONS.invisible;
  const { role, itemprop, itemtype } = attributes;
  if (role !== undefined) regions |= BY_ROLE.get(role) ?? 0;
  if (itemprop !== undefined || itemtype !== undefined) regions |= byItem(itemprop) | byType(itemtype);
  // The page as a whole is called after its parts: "has-sidebar".
  if (name !== 'body' && name !== 'html') regions |= byNames(attributes);
  if (isHidden(attributes)) regions |= REGIONS.hidden;
  const isArticle = name === 'article' && (around & REGIONS.article) !== 0;
  return isArticle ? regions | REGIONS.nestedArticle : regions;
}
