import { parseAddress } from '../../../foundation/http/web-address.ts';
import { firstText, typesOf } from './json-ld.ts';
import type { Statements } from './metadata.ts';
import { elementText, type Page, type PageElement } from './page.ts';

/** Why a response is not the requested page. */
export type PageObstacle = 'bot_wall' | 'consent_wall' | 'soft_not_found' | 'needs_javascript';

/** A page with more text has content, even when it also shows a notice. In characters. */
const OWN_CONTENT_CHARACTERS = 1500;

const BOT_WALL =
  /just a moment\W|attention required!|verify(?:ing)? (?:that )?you are (?:a )?human|are you a (?:robot|human)|checking (?:if the site connection is secure|your browser)|pardon our interruption|unusual traffic from your|enable js and disable any ad ?blocker|press (?:&|and) hold|access (?:to this page has been )?denied|request unsuccessful\. incapsula|ddos protection by|bot (?:detection|verification)|verificare (?:de )?securitate|nu sunt (?:un )?robot|sunteți (?:un )?om/i;
/** The whole title or heading of a challenge; articles have these words among others. */
const WALL_TITLE =
  /^(?:just a moment|attention required!?(?: \| cloudflare)?|access (?:to this page has been )?denied|are you (?:a )?(?:human|robot)|pardon our interruption|(?:please )?verify(?:ing)? (?:that )?you are (?:a )?human|(?:bot|robot|security|human) (?:check|verification|detection)|ddos-guard|client challenge|verificare (?:de )?securitate|un moment)[\s.!?…]*$/i;
/** Markup that only challenge pages have. */
const CHALLENGE = {
  ids: new Set(['challenge-form', 'cf-challenge-running', 'px-captcha']),
  names: /(?:^|\s)cf-browser-verification(?:\s|$)/,
};
/** Markup of captchas, which contact forms have as well. */
const CAPTCHA_NAMES = /(?:^|\s)[gh]-(?:re)?captcha(?:\s|$)/;

function isChallenge({ name, attributes }: PageElement): boolean {
  const source = attributes.src ?? '';
  if (name === 'script') return source.includes('challenge-platform');
  if (name === 'iframe') return source.includes('captcha-delivery');
  return CHALLENGE.ids.has(attributes.id ?? '') || CHALLENGE.names.test(attributes.class ?? '');
}

const isCaptcha = ({ name, attributes }: PageElement) =>
  (name === 'iframe' && (attributes.src ?? '').includes('captcha')) ||
  CAPTCHA_NAMES.test(attributes.class ?? '');

/** A page with challenge words and less text is a challenge. In characters. */
const CHALLENGE_CHARACTERS = 300;
/** A captcha with less text beside it is a challenge. In characters. */
const NEXT_TO_NOTHING = 60;
const NOT_FOUND =
  /^(?:(?:error|eroare(?:a)?|http)\s*:?\s*)?404\b|page (?:was |could )?not (?:be )?found|page (?:does not|doesn.t|no longer) exist|^not found$|pagin[ăa] (?:nu (?:a fost g[ăa]sit[ăa]|exist[ăa])|inexistent[ăa])|(?:articolul|pagina) (?:căutat[ăa]? |cautat[ăa]? )?nu (?:mai )?(?:exist[ăa]|a fost g[ăa]sit)/i;
const NEEDS_JAVASCRIPT =
  /(?:please |trebuie să )?(?:enable|activa[țţt]i|turn on) java ?script|requires java ?script|java ?script is (?:disabled|required|not available)|you need to enable java ?script/i;

/** Words of consent notices in Romanian, English, German and French. */
const CONSENT_WORDS =
  /cookie|consent|consim[țţt][ăa]m|gdpr|partener|accept(?:\b|a[țţt]i|er)|preferin[țţt]e|preferences|personal data|date(?:le)? (?:cu caracter )?personal|privacy|confiden[țţt]ialitat|datenschutz|einwilligung|zustimm|donn[ée]es personnelles|vie priv[ée]e|legitimate interest|interes(?:ul)? legitim|vendors?|stoc(?:are|a)|advertising/giu;
/** Share of consent words from which a short text is a consent notice; articles have far fewer. */
const CONSENT_DENSITY = 1 / 12;

const wordCount = (text: string) => text.split(/\s+/).length;

/** What obstacles and paywalls are recognised by. */
export interface PageHints {
  title: string;
  heading: string;
  hasChallenge: boolean;
  hasCaptcha: boolean;
  hasPaywall: boolean;
  /** The page asks, beside such markup, to subscribe. */
  wantsSubscription: boolean;
}

/** Reads the hints of a page. */
export function readHints(page: Page): PageHints {
  const [heading] = page.headings;
  const hasPaywall = page.named.some(isPaywall);
  return {
    title: page.title ?? '',
    heading: heading === undefined ? '' : (elementText(page, heading) ?? ''),
    hasChallenge: page.named.some(isChallenge),
    hasCaptcha: page.named.some(isCaptcha),
    hasPaywall,
    wantsSubscription: hasPaywall && page.lines.some(({ text }) => SUBSCRIBE_WORDS.test(text)),
  };
}

/** Whether a page asks for proof of a human reader. Words alone are not enough, since articles are written about such pages. */
function isBotWall({ title, heading, hasChallenge, hasCaptcha }: PageHints, text: string): boolean {
  if (WALL_TITLE.test(title) || (title === '' && WALL_TITLE.test(heading))) return true;
  if (text.length >= OWN_CONTENT_CHARACTERS / 3) return false;
  if (hasChallenge || (hasCaptcha && text.length < NEXT_TO_NOTHING)) return true;
  return BOT_WALL.test(`${title} ${heading} ${text}`) && (hasCaptcha || text.length < CHALLENGE_CHARACTERS);
}

/** Why this is not the requested page, by its hints and its extracted text; undefined when it is. */
export function pageObstacle(hints: PageHints, text: string, isArticle: boolean): PageObstacle | undefined {
  const { title, heading } = hints;
  if (text.length > OWN_CONTENT_CHARACTERS) return undefined;
  const isShort = text.length < OWN_CONTENT_CHARACTERS / 3;
  if (!isArticle && isBotWall(hints, text)) return 'bot_wall';
  if (NOT_FOUND.test(title) || NOT_FOUND.test(heading)) return 'soft_not_found';
  if (isShort && NEEDS_JAVASCRIPT.test(`${title} ${heading} ${text}`)) return 'needs_javascript';
  const consent = text.match(CONSENT_WORDS)?.length ?? 0;
  return consent >= 4 && consent / wordCount(text) > CONSENT_DENSITY ? 'consent_wall' : undefined;
}

const NOTICE_NAMES = /cookie|consent|gdpr|^onetrust/;
const NOTICE_MARKS = /(?:^|\s)(?:CybotCookiebotDialog|didomi-host|qc-cmp2-container|fc-consent-root)(?:\s|$)/;
/** Longer elements are wrappers of the page, not notices. In characters. */
const LONGEST_NOTICE = 6000;

function mayBeNotice({ name, attributes }: PageElement): boolean {
  if (name === 'html' || name === 'body') return false;
  const { id = '', role } = attributes;
  const names = attributes.class ?? '';
  if (role === 'dialog' || role === 'alertdialog' || NOTICE_NAMES.test(id) || NOTICE_NAMES.test(names))
    return true;
  return NOTICE_MARKS.test(id) || NOTICE_MARKS.test(names);
}

/** Ranges of lines that are cookie and consent notices. */
export function noticeRanges(page: Page): ReadonlyArray<{ firstLine: number; endLine: number }> {
  return page.named.filter((element) => {
    if (!mayBeNotice(element) || element.endLine === element.firstLine) return false;
    const text = elementText(page, element, 2 * LONGEST_NOTICE);
    if (text === undefined || text.length > LONGEST_NOTICE) return false;
    return (text.match(CONSENT_WORDS)?.length ?? 0) >= 2;
  });
}

const PAYWALL_NAMES = /paywall|subscriber-only|premium-content|subscription-wall|regwall|piano-offer/;
const PAYWALL_MARKS = /(?:^|\s)(?:tp-modal|meteredContent)(?:\s|$)/;

function isPaywall({ attributes }: PageElement): boolean {
  const names = attributes.class ?? '';
  return PAYWALL_NAMES.test(names) || PAYWALL_MARKS.test(names) || (attributes.id ?? '').includes('paywall');
}

const SUBSCRIBE_WORDS =
  /subscribe|subscription|subscriber|sign in to (?:read|continue)|abon(?:ament|eaz[ăa]|ați-v[ăa])|abonnement|abonnieren|continu[ăa] lectura|cont(?:ul)? premium/i;
/** Text below which a subscribe form means that the rest is behind it, in characters. */
const CUT_TEXT = 800;

/** True when the page says, or shows, that its text is for subscribers. */
export function isPaywalled(statements: Statements, hints: PageHints, text: string): boolean {
  const { article, things, meta } = statements;
  const accessForFree = [article, ...things].map((thing) => String(thing?.isAccessibleForFree).toLowerCase());
  if (accessForFree.includes('false')) return true;
  if (meta.get('article:content_tier')?.toLowerCase() === 'locked') return true;
  return text.length < CUT_TEXT && hints.hasPaywall && hints.wantsSubscription;
}

const SATIRE_WORDS = /^(?:satir[ăae]|pamflet(?:e)?|umor|humou?r|parod(?:y|ie)|time off)$/i;
const SPONSORED_WORDS =
  /^(?:advertorial(?:e)?|sponsored|publicitate|partner content|con[țţt]inut (?:sponsorizat|plătit)|branded)$/i;

function sectionsOf({ article, meta, url }: Statements): string[] {
  const sections = [
    article?.articleSection,
    article?.genre,
    meta.get('article:section'),
    meta.get('section'),
  ];
  const path = parseAddress(url)?.pathname.split('/').slice(1, 3) ?? [];
  return [...sections.flat(), ...path].filter((each) => typeof each === 'string').map((each) => each.trim());
}

/** True when the page declares itself satire, by its type or its section. */
export function isSatire(statements: Statements): boolean {
  const { article } = statements;
  const isTyped = article !== undefined && typesOf(article).includes('SatiricalArticle');
  return isTyped || sectionsOf(statements).some((section) => SATIRE_WORDS.test(section));
}

/** True when the page says that it is paid for. */
export function isSponsored(statements: Statements): boolean {
  const { article } = statements;
  const isTyped = article !== undefined && typesOf(article).includes('AdvertiserContentArticle');
  return isTyped || sectionsOf(statements).some((section) => SPONSORED_WORDS.test(section));
}

/** What a page says in its markup about content made by machines. */
export interface AiDisclosure {
  where: 'json_ld' | 'meta';
  property: string;
  value: string;
}

const DISCLOSURE_META = [
  'digitalsourcetype',
  'iptc:digitalsourcetype',
  'ai-generated',
  'ai-content-declaration',
  'ai-disclosure',
];

/** Statements about machine-made content: IPTC digitalSourceType and the meta names in use. */
export function aiDisclosures({ things, meta }: Statements): AiDisclosure[] {
  const inData = things.flatMap((thing) => {
    const value = firstText(thing.digitalSourceType, thing['iptc:digitalSourceType']);
    return value === undefined ? [] : [{ where: 'json_ld' as const, property: 'digitalSourceType', value }];
  });
  const inMeta = DISCLOSURE_META.flatMap((property) => {
    const value = meta.get(property);
    return value === undefined ? [] : [{ where: 'meta' as const, property, value }];
  });
  return [...inData, ...inMeta];
}
