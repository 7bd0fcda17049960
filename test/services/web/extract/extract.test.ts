import { describe, expect, it } from 'vitest';
import { TooComplexError } from '../../../../src/services/web/extract/page.ts';
import { body, extract, jsonLd, page, sentence } from './story-page.ts';

describe('the main text', () => {
  it('has one line for each block and nothing from around it', () => {
    const { text, metadata } = extract(
      page(
        '',
        `<nav><a href="/">Acasă</a></nav><article><h2>Bugetul</h2><p>Unu <b>doi</b>.<br>Trei.</p>${body}</article>
         <script>var x = 'cod';</script><style>p{}</style><aside>Cele mai citite</aside><footer>© 2024</footer>`,
      ),
    );
    const lines = text.split('\n');
    expect(lines.slice(0, 2)).toEqual(['Unu doi.', 'Trei.']);
    expect(text).not.toMatch(/Acasă|cod|Cele mai citite|©/);
    expect(metadata.text_source).toBe('article');
  });

  it('is without cookie notices', () => {
    const notice = `<div id="cookie-banner"><p>${'Folosim cookie-uri pentru publicitate și partenerii noștri cer consimțământul. '.repeat(4)}</p></div>`;
    const { text, obstacle } = extract(page('', `${notice}<div class="article">${body}</div>`));
    expect(text).not.toContain('cookie');
    expect(obstacle).toBeNull();
  });

  it('of a page without any is empty', () => {
    expect(extract('')).toMatchObject({ text: '', metadata: { text_source: 'none', title: null } });
    expect(extract('<!-- nothing -->').text).toBe('');
  });

  it('of plain text is the text', () => {
    const { text, metadata } = extract('Unu\r\ndoi <b>trei</b>\r\n', 'https://a.example/x.txt', 'text/plain');
    expect(text).toBe('Unu\ndoi <b>trei</b>');
    expect(metadata.text_source).toBe('plain_text');
  });

  it('is not looked for in pages made to exhaust the reader', () => {
    expect(() => extract(`<html><body>${'<div>'.repeat(2000)}`)).toThrow(TooComplexError);
    expect(() => extract('<p>'.repeat(300_001))).toThrow(TooComplexError);
  });
});

it('reads a page alike whatever was read before it', () => {
  const dated = page('', `<p>5.3.2024 Bugetul</p>${body}`);
  extract(page('', `<p>Publicat marți, 5 martie 2024</p>${body}<p>Actualizat la Iași, 7 martie 2024</p>`));
  expect(extract(dated).metadata.published_at).toBe('2024-03-05');
});

it('keeps all of many equal lines, the last as well', () => {
  const { text } = extract(page('', `<article>${'<p>x y z paragraph</p>'.repeat(500)}</article>`));
  expect(text.split('\n')).toHaveLength(500);
});

describe('the title', () => {
  const cases: Array<[what: string, head: string, rest: string, title: string | null]> = [
    [
      'JSON-LD before all others',
      `${jsonLd({ '@type': 'NewsArticle', headline: 'Din date' })}<meta property="og:title" content="Din og">`,
      body,
      'Din date',
    ],
    [
      'og:title before the heading',
      '<meta property="og:title" content="Din og"><title>T</title>',
      `<h1>Din h1</h1>${body}`,
      'Din og',
    ],
    [
      'the heading before the title element',
      '<title>Din title</title>',
      `<h1>Din <i>h1</i></h1>${body}`,
      'Din h1',
    ],
    ['the title element', '<title>Din title</title>', body, 'Din title'],
    [
      'without the site at its end',
      '<meta property="og:site_name" content="Ziarul de Azi"><title>Un titlu - Ziarul de Azi</title>',
      body,
      'Un titlu',
    ],
    ['without the domain at its end', '<title>Un titlu | Ziarul.example</title>', body, 'Un titlu'],
    [
      'with a dash of its own',
      '<title>Dinamo - Steaua, scor final</title>',
      body,
      'Dinamo - Steaua, scor final',
    ],
    [
      'ending where the heading ends',
      '<title>Ce este bugetul | Tot despre bani</title>',
      `<h1>Ce este bugetul</h1>${body}`,
      'Ce este bugetul',
    ],
    [
      'without entities that were written twice',
      '<title>Taxe &amp;amp; impozite</title>',
      body,
      'Taxe & impozite',
    ],
    ['nowhere', '', body, null],
  ];
  it.each(cases)('%s', (_what, head, rest, title) => {
    expect(extract(page(head, rest)).metadata.title).toBe(title);
  });
});

describe('people and places', () => {
  it('come from linked data, graphs and references included', () => {
    const { metadata } = extract(
      page(
        jsonLd({
          '@context': 'https://schema.org',
          '@graph': [
            { '@type': 'Person', '@id': '#ana', name: 'Ana Ionescu' },
            { '@type': 'Organization', '@id': '#org', name: 'Ziarul' },
            {
              '@type': ['NewsArticle', 'Article'],
              headline: 'Bugetul',
              author: [{ '@id': '#ana' }, 'De Dan Radu'],
              publisher: { '@id': '#org' },
              image: { '@type': 'ImageObject', url: '/a.jpg' },
              inLanguage: 'ro-RO',
            },
          ],
        }),
      ),
    );
    expect(metadata).toMatchObject({
      author: 'Ana Ionescu, Dan Radu',
      publisher: 'Ziarul',
      language: 'ro',
      images: [{ url: 'https://www.ziarul.example/a.jpg', alt: null, source: 'json_ld' }],
    });
  });

  const authors: Array<[html: string, author: string | null]> = [
    ['<meta name="author" content="Ana Ionescu">', 'Ana Ionescu'],
    [
      `<meta name="author" content='[{"@type":"Person","name":"Ana Ionescu"},{"name":"Dan Radu"}]'>`,
      'Ana Ionescu, Dan Radu',
    ],
    ['<meta name="author" content="{&quot;name&quot;:&quot;Ana Ionescu&quot;}">', 'Ana Ionescu'],
    [`<meta name="author" content='{"name":'>`, null],
    [`<meta name="author" content='[[]]'>`, null],
    ['<meta property="article:author" content="https://facebook.com/ana">', null],
    ['<a rel="author" href="/ana">de Ana Ionescu</a>', 'Ana Ionescu'],
    ['<span class="byline">By Ana Ionescu | 5 martie</span>', 'Ana Ionescu'],
    [
      '<meta name="twitter:label1" content="Scris de"><meta name="twitter:data1" content="Ana Ionescu">',
      'Ana Ionescu',
    ],
    ['<meta name="twitter:label1" content="Timp"><meta name="twitter:data1" content="4 minute">', null],
    ['<div class="post-author-box"><a href="/ana">Ana Ionescu</a></div>', 'Ana Ionescu'],
  ];
  it.each(authors)('%s names %s', (html, author) => {
    expect(extract(page('', html + body)).metadata.author).toBe(author);
  });

  it('fall back to the domain', () => {
    expect(extract(page('')).metadata).toMatchObject({
      publisher: 'ziarul.example',
      site_name: null,
      language: null,
    });
  });

  it('survive linked data that is broken', () => {
    const broken = '<script type="application/ld+json">{"@type": "NewsArticle", </script>';
    const padded = `<script type="application/ld+json">//<![CDATA[\n{"@type":"NewsArticle","headline":"Un\nrând"}\n//]]></script>`;
    expect(extract(page(broken + padded)).metadata.title).toBe('Un rând');
  });
});

describe('signs', () => {
  const obstacles: Array<[html: string, obstacle: string | null]> = [
    [page('<title>Just a moment...</title>', '<p>Enable JavaScript and cookies to continue</p>'), 'bot_wall'],
    [page('<title>Access denied</title>', '<h1>Access Denied</h1>'), 'bot_wall'],
    [page('<title>Site</title>', '<div class="g-recaptcha"></div><p>Confirmați.</p>'), 'bot_wall'],
    [page('<title>Pagina nu a fost găsită</title>', '<p>Ne pare rău.</p>'), 'soft_not_found'],
    [page('<title>404</title>', '<p>Nothing here</p>'), 'soft_not_found'],
    [page('<title>App</title>', '<p>You need to enable JavaScript to run this app.</p>'), 'needs_javascript'],
    [
      page(
        '<title>Ziarul</title>',
        `<p>${'Noi și partenerii noștri stocăm cookie-uri și date personale; acceptați preferințele. '.repeat(6)}</p>`,
      ),
      'consent_wall',
    ],
    [page('<title>Access denied: un reportaj</title>'), null],
    [page('<title>Ce înseamnă eroarea 404</title>'), null],
    // Articles about walls, short ones and ones with a form below.
    [
      page(
        '<title>Just a moment: why websites make you wait</title>',
        '<p>Are you a robot? Sites ask more and more.</p>'.repeat(8),
      ),
      null,
    ],
    [
      page(
        '<title>Access denied to refugees, says report</title>',
        `<p>${'The border was closed again on Monday. '.repeat(9)}</p>`,
      ),
      null,
    ],
    [
      page(
        '<title>Pardon our interruption</title><script type="application/ld+json">{"@type":"NewsArticle","headline":"Pardon our interruption"}</script>',
        '<p>The band is back on stage after ten years.</p>',
      ),
      null,
    ],
    [
      page(
        '<title>Contact</title>',
        `<p>${'Write to the editors by this form, please. '.repeat(4)}</p><div class="g-recaptcha"></div>`,
      ),
      null,
    ],
  ];
  it.each(obstacles)('%#: %s', (html, obstacle) => {
    expect(extract(html).obstacle).toBe(obstacle);
  });

  const flags: Array<[head: string, rest: string, url: string, flag: string]> = [
    [
      jsonLd({ '@type': 'NewsArticle', isAccessibleForFree: 'False' }),
      body,
      'https://a.example/x',
      'paywalled',
    ],
    ['<meta property="article:content_tier" content="locked">', body, 'https://a.example/x', 'paywalled'],
    [
      '',
      `<p>${sentence}</p><div class="paywall">Abonează-te pentru a citi tot.</div>`,
      'https://a.example/x',
      'paywalled',
    ],
    [jsonLd({ '@type': 'SatiricalArticle', headline: 'x' }), body, 'https://a.example/x', 'satire'],
    ['', body, 'https://a.example/pamflet/x', 'satire'],
    ['<meta property="article:section" content="Advertorial">', body, 'https://a.example/x', 'sponsored'],
    [jsonLd({ '@type': 'ClaimReview', claimReviewed: 'x' }), body, 'https://a.example/x', 'fact_check'],
  ];
  it.each(flags)('%#: %s', (head, rest, url, flag) => {
    const none = { paywalled: false, satire: false, sponsored: false, fact_check: false };
    expect(extract(page(head, rest), url).metadata.flags).toEqual({ ...none, [flag]: true });
  });

  it('tell what the page discloses about machine-made content', () => {
    const source = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
    const head = jsonLd({
      '@type': 'NewsArticle',
      image: { '@type': 'ImageObject', digitalSourceType: source },
    });
    expect(extract(page(head)).metadata.ai_disclosures).toEqual([
      { where: 'json_ld', property: 'digitalSourceType', value: source },
    ]);
    expect(extract(page('')).metadata.ai_disclosures).toEqual([]);
  });
});
