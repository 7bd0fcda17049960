import { parseAddress } from '../../../foundation/http/web-address.ts';
import { collapseWhitespace } from './blocks.ts';
import type { DomDocument } from './dom.ts';
import { firstText, typesOf } from './json-ld.ts';
import type { Statements } from './metadata.ts';

/** Why a page that came is not the page that was asked for. */
export type Obstacle = 'bot_wall' | 'consent_wall' | 'soft_not_found' | 'needs_javascript';

/** Text beyond which a page has content of its own, whatever else it says, in characters. */
const OWN_CONTENT_CHARACTERS = 1500;

const BOT_WALL =
  /just a moment\W|attention required!|verify(?:ing)? (?:that )?you are (?:a )?human|are you a (?:robot|human)|checking (?:if the site connection is secure|your browser)|pardon our interruption|unusual traffic from your|enable js and disable any ad ?blocker|press (?:&|and) hold|access (?:to this page has been )?denied|request unsuccessful\. incapsula|ddos protection by|bot (?:detection|verification)|verificare (?:de )?securitate|nu sunt (?:un )?robot|sunteți (?:un )?om/i;
/** The whole title or heading of a challenge; articles have these words among others. */
const WALL_TITLE =
  /^(?:just a moment|attention required!?(?: \| cloudflare)?|access (?:to this page has been )?denied|are you (?:a )?(?:human|robot)|pardon our interruption|(?:please )?verify(?:ing)? (?:that )?you are (?:a )?human|(?:bot|robot|security|human) (?:check|verification|detection)|ddos-guard|client challenge|verificare (?:de )?securitate|un moment)[\s.!?…]*$/i;
/** What stands on challenge pages alone. */
const CHALLENGE_MARKUP =
  '#challenge-form, #cf-challenge-running, .cf-browser-verification, script[src*="challenge-platform"], #px-captcha, iframe[src*="captcha-delivery"]';
/** What stands below contact forms too. */
const CAPTCHA_MARKUP = 'iframe[src*="captcha"], .g-recaptcha, .h-captcha';
/** A page that holds less is all challenge when it says so, in characters. */
const CHALLENGE_CHARACTERS = 300;
/** A captcha beside no more than a heading, in characters. */
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

/** What obstacles and paywalls are judged by; read before the article reader changes the page. */
export interface PageHints {
  title: string;
  heading: string;
  hasChallenge: boolean;
  hasCaptcha: boolean;
  hasPaywall: boolean;
  /** The page asks, anywhere, to subscribe. */
  wantsSubscription: boolean;
}

/** Reads the hints of a page. */
export function readHints(document: DomDocument): PageHints {
  return {
    title: collapseWhitespace(document.querySelector('title')?.textContent),
    heading: collapseWhitespace(document.querySelector('h1')?.textContent),
    hasChallenge: document.querySelector(CHALLENGE_MARKUP) !== null,
    hasCaptcha: document.querySelector(CAPTCHA_MARKUP) !== null,
    hasPaywall: document.querySelector(PAYWALL_MARKUP) !== null,
    wantsSubscription: SUBSCRIBE_WORDS.test(document.body?.textContent ?? ''),
  };
}

/** A page that asks for proof of a human reader. Words alone make no wall: articles are written about them. */
function isBotWall({ title, heading, hasChallenge, hasCaptcha }: PageHints, text: string): boolean {
  if (WALL_TITLE.test(title) || (title === '' && WALL_TITLE.test(heading))) return true;
  if (text.length >= OWN_CONTENT_CHARACTERS / 3) return false;
  if (hasChallenge || (hasCaptcha && text.length < NEXT_TO_NOTHING)) return true;
  return BOT_WALL.test(`${title} ${heading} ${text}`) && (hasCaptcha || text.length < CHALLENGE_CHARACTERS);
}

/** Why this is not the page that was asked for, by its hints and its extracted text; undefined when it is. */
export function obstacleOf(hints: PageHints, text: string, isArticle: boolean): Obstacle | undefined {
  const { title, heading } = hints;
  if (text.length > OWN_CONTENT_CHARACTERS) return undefined;
  const isShort = text.length < OWN_CONTENT_CHARACTERS / 3;
  if (!isArticle && isBotWall(hints, text)) return 'bot_wall';
  if (NOT_FOUND.test(title) || NOT_FOUND.test(heading)) return 'soft_not_found';
  if (isShort && NEEDS_JAVASCRIPT.test(`${title} ${heading} ${text}`)) return 'needs_javascript';
  const consent = text.match(CONSENT_WORDS)?.length ?? 0;
  return consent >= 4 && consent / wordCount(text) > CONSENT_DENSITY ? 'consent_wall' : undefined;
}

const NOTICE_MARKUP =
  '[id*=cookie], [class*=cookie], [id*=consent], [class*=consent], [id*=gdpr], [class*=gdpr], [id^=onetrust], #CybotCookiebotDialog, #didomi-host, #qc-cmp2-container, .fc-consent-root, [role=dialog], [role=alertdialog]';
/** Longer elements are wrappers of the page, not notices. In characters. */
const LONGEST_NOTICE = 6000;

/** Takes cookie and consent notices out of the page; returns how many. */
export function removeNotices(document: DomDocument): number {
  let removed = 0;
  for (const element of document.querySelectorAll(NOTICE_MARKUP)) {
    if (element.localName === 'html' || element.localName === 'body') continue;
    const text = collapseWhitespace(element.textContent);
    const words = text.match(CONSENT_WORDS)?.length ?? 0;
    if (text.length > LONGEST_NOTICE || (words < 2 && text.length > 0)) continue;
    element.remove();
    removed++;
  }
  return removed;
}

const PAYWALL_MARKUP =
  '[class*=paywall], [id*=paywall], [class*=subscriber-only], [class*=premium-content], [class*=subscription-wall], [class*=regwall], [class*=piano-offer], .tp-modal, .meteredContent';
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

/** True when the page says that somebody paid for it. */
export function isSponsored(statements: Statements): boolean {
  const { article } = statements;
  const isTyped = article !== undefined && typesOf(article).includes('AdvertiserContentArticle');
  return isTyped || sectionsOf(statements).some((section) => SPONSORED_WORDS.test(section));
}

/** What a page says in its markup about content made by machines. */
export interface Disclosure {
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
export function aiDisclosures({ things, meta }: Statements): Disclosure[] {
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
