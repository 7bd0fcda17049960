/** What the classes and ids of elements are called, by what stands in such elements; each group is one bit. */
const GROUPS: ReadonlyArray<readonly [name: string, words: string]> = [
  [
    'navigation',
    'nav|menu|breadcrumb|crumb|pagination|pager|toolbar|skip|tabs?(?![a-z])|dropdown|hamburger|megamenu|toc',
  ],
  ['footer', 'foot|copyright|colophon|legal'],
  ['header', 'header|masthead|topbar|banner|hero'],
  ['side', 'side|rail|widget|aside|secondary'],
  ['share', 'share|sharing|social|follow|facebook|twitter|whatsapp|addtoany|addthis'],
  ['comments', 'comment|disqus|respond|repl(?:y|ies)|discussion'],
  [
    'related',
    'relat|recommend|popular|trending|also|more-|readmore|latest|similar|recirc|upsell|cross-?sell|most|teaser|promoted|outbrain|taboola|suggest|next|prev',
  ],
  ['advertising', 'advert|sponsor|promo|(?<![a-z])ads?(?![a-z])|dfp|marketing|campaign|partner'],
  ['consent', 'cookie|consent|gdpr|privacy|onetrust'],
  ['overlay', 'modal|popup|overlay|lightbox|dialog|drawer|toast|tooltip|notice|alert|message-?bar|flyout'],
  [
    'sign_up',
    'newsletter|subscri|signup|sign-up|optin|opt-in|cta(?![a-z])|call-to-action|lead|donat|paywall',
  ],
  [
    'facts',
    'meta|byline|author|date|time|(?<![a-z])tags?(?![a-z])|categor|publish|posted|info|label|badge|stat',
  ],
  ['biography', 'bio(?![a-z])|about-author|author-?box|profile|contributor|avatar|user|member'],
  ['caption', 'caption|credit|figure|image|photo|picture|media|gallery|video|player|slide|carousel|swiper'],
  ['hidden', 'hidden|hide|sr-only|visually|screen-?reader|offscreen|collapse|invisible|print'],
  ['search', 'search|filter|facet|sort|refine|select'],
  [
    'shop',
    'cart|price|buy|shop|checkout|basket|wish|quantity|qty|variant|swatch|shipping|stock|add-to|currency|rating|stars',
  ],
  ['account', 'login|log-in|account|signin|sign-in|register|auth'],
  ['article', 'article|story|entry|(?<![a-z])post(?![a-z])|blog|news'],
  ['body', 'content|body|main|text|prose|markdown|rte|rich|wysiwyg|paragraph|copy|editor'],
  [
    'description',
    'descri|detail|summary|excerpt|intro|lead(?![a-z])|lede|dek|standfirst|abstract|subtitle|overview',
  ],
  ['product', 'product|prod(?![a-z])|item|sku|spec|feature|accordion|faq|benefit'],
  [
    'thread',
    'thread|topic|forum|message|answer|question|post-?body|cooked|reply-?body|review|testimonial|quote',
  ],
  ['list', 'list|grid|card|tile|results?|collection|archive|feed|row|column|col-'],
  ['title', 'title|heading|headline|head(?!er)|name'],
  ['section', 'section|block|module|component|container|wrap|region|area|panel|layout'],
  ['signature', 'signature|disclaim|footnote|reference|cite|source|correction'],
  ['action', 'btn|button|link|action|click|toggle|expand|load'],
];

/** Names of the groups, in the order of their bits. */
export const NAME_GROUPS: readonly string[] = GROUPS.map(([name]) => name);

const ANY_WORD = new RegExp(GROUPS.map(([, words]) => `(${words})`).join('|'), 'g');
/** Longer lists of classes come from generators; their start says enough. */
const LONGEST_NAMES = 200;

/** The groups that a class list and an id name, as bits. */
export function nameGroups(names: string): number {
  const text = names
    .slice(0, LONGEST_NAMES)
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase();
  let groups = 0;
  for (const match of text.matchAll(ANY_WORD)) {
    for (let at = 1; at < match.length; at++) {
      if (match[at] !== undefined) groups |= 1 << (at - 1);
    }
  }
  return groups;
}
