import { describe, expect, it } from 'vitest';
import { body, extract, jsonLd, page } from './story-page.ts';

describe('the date of publication', () => {
  const cases: Array<[what: string, html: string, url: string, value: string | null, source: string | null]> =
    [
      ['address', '', 'https://a.example/2024/03/05/titlu', '2024-03-05', 'url'],
      [
        'address, with the hour of a meta element',
        '<meta property="article:published_time" content="2024-03-05T10:30:00+02:00">',
        'https://a.example/2024/03/05/titlu',
        '2024-03-05T10:30:00+02:00',
        'url',
      ],
      [
        'meta element',
        '<meta name="DC.date.issued" content="2024-03-05">',
        'https://a.example/titlu',
        '2024-03-05',
        'meta',
      ],
      [
        'linked data',
        jsonLd({ '@type': 'NewsArticle', datePublished: '2024-03-05', dateModified: '2024-04-01' }),
        'https://a.example/titlu',
        '2024-03-05',
        'json_ld',
      ],
      [
        'time element',
        '<article><time datetime="2024-03-05T08:00">marți</time></article>',
        'https://a.example/titlu',
        '2024-03-05T08:00:00',
        'time_element',
      ],
      [
        'markup',
        '<div class="post-date">Publicat: 5 martie 2024</div>',
        'https://a.example/titlu',
        '2024-03-05',
        'markup',
      ],
      ['text', '<p>București, 5 martie 2024. Guvernul</p>', 'https://a.example/titlu', '2024-03-05', 'text'],
      [
        'change',
        '<meta property="article:modified_time" content="2024-04-01"><time class="updated" datetime="2024-04-01">1 aprilie</time><p class="date">Actualizat: 1 aprilie 2024</p>',
        'https://a.example/titlu',
        null,
        null,
      ],
      [
        'time element of the publication, not that of a change',
        '<time class="updated" datetime="2024-04-01">1 aprilie</time><time class="entry-date" datetime="2024-03-05">5 martie</time>',
        'https://a.example/titlu',
        '2024-03-05',
        'time_element',
      ],
      [
        'markup that tells of a change as well',
        '<div class="post-date">Publicat: 5 martie 2024, actualizat: 1 aprilie 2024</div>',
        'https://a.example/titlu',
        '2024-03-05',
        'markup',
      ],
      [
        'address with the name of a month',
        '',
        'https://a.example/2023/october/03/title/',
        '2023-10-03',
        'url',
      ],
      [
        'evening before in America',
        '<meta property="article:published_time" content="2024-03-06T01:30:00Z"><meta property="og:locale" content="en_US"><p class="date">March 5, 2024</p>',
        'https://a.example/titlu',
        '2024-03-05',
        'markup',
      ],
      [
        'past midnight in Europe',
        '<meta property="article:published_time" content="2024-03-05T23:00:00Z"><p class="date">6.3.2024</p>',
        'https://a.example/titel',
        '2024-03-06',
        'markup',
      ],
      [
        'late in the evening',
        '<meta property="article:published_time" content="2024-03-05T23:00:00Z"><p class="date">5.3.2024</p>',
        'https://a.example/titel',
        '2024-03-05T23:00:00Z',
        'meta',
      ],
      [
        'time within an element that says "published", before those of comments',
        '<article><div class="comment-text"><time datetime="2024-07-17">17 iulie</time></div><p class="publication"><time datetime="2024-03-05">5 martie</time></p></article>',
        'https://a.example/titlu',
        '2024-03-05',
        'time_element',
      ],
      [
        'text, when it is of the month of the address',
        '<p>București, 5 martie 2024. Guvernul</p><p>9 mai 2023, 9 mai 2023</p>',
        'https://a.example/2024/03/titlu',
        '2024-03-05',
        'text',
      ],
      [
        'words for readers, before the mark of a later change',
        '<time datetime="2024-07-03T10:18:46Z">Publié le 5 mars 2024</time>',
        'https://a.example/titre',
        '2024-03-05',
        'time_element',
      ],
      [
        'words "published on", wherever they stand',
        '<p>Letzte Änderung: 04.03.2024 - 14:49</p><p>Erschienen am: 05.03.2024</p>',
        'https://a.example/titel',
        '2024-03-05',
        'text',
      ],
      [
        'property of an element in the foot, when it is the only one',
        '<footer><time itemprop="datePublished" datetime="2024-03-05">5.3.2024</time></footer><p>Am 9. Mai 2023 und am 9. Mai 2023</p>',
        'https://a.example/titel',
        '2024-03-05',
        'markup',
      ],
      [
        'data of a thing that is no article',
        '<script type="application/ld+json">{"@type":"HowTo","name":"Tisch","datePublished":"2024-03-05T22:06:08:684Z"}</script>',
        'https://a.example/titel',
        '2024-03-05T22:06:08',
        'markup',
      ],
      [
        'line that is nothing else, before dates that a text tells of',
        '<p>Fotografie făcută pe 16 ianuarie 2024, lângă gara din 16 ianuarie 2024.</p><p>Marți, 5 martie 2024</p>',
        'https://a.example/titlu',
        '2024-03-05',
        'text',
      ],
      [
        'text, when it is of the year of the address',
        '<p>București, 5 martie 2024. Guvernul</p><p>9 mai 2023, 9 mai 2023</p>',
        'https://a.example/2024/titlu',
        '2024-03-05',
        'text',
      ],
      [
        'page that shows the next day beside an hour without its zone',
        '<meta name="date" content="2024-03-05T23:15:00"><p itemprop="datePublished">6 marzo 2024</p>',
        'https://a.example/titolo',
        '2024-03-06',
        'markup',
      ],
      ['text of another month', '<p>9 mai 2023. Guvernul</p>', 'https://a.example/2024/03/titlu', null, null],
      [
        'nothing',
        '<aside><time datetime="2020-01-01">altă știre</time></aside>',
        'https://a.example/titlu',
        null,
        null,
      ],
    ];
  it.each(cases)('from the %s', (_what, html, url, value, source) => {
    const { metadata } = extract(page('', html + body), url);
    expect([metadata.published_at, metadata.published_at_source]).toEqual([value, source]);
  });
});
