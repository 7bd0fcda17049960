import { type Html, type HtmlValue, html } from '../../../foundation/html.ts';
import { clockTime } from '../resources/clock-time.ts';
import type { Span } from '../resources/finding.ts';
import type { ReportView } from './view.ts';

/** The id of a part of the report; each language has its own. */
export function anchorId({ language }: Pick<ReportView, 'language'>, name: string): string {
  return `${language}-${name}`;
}

/** A section with its heading, which the contents lead to. */
export function section(view: ReportView, name: string, title: string, body: HtmlValue): Html {
  const id = anchorId(view, name);
  return html`<section id="${id}" class="section section-${name}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${body}
</section>
`;
}

/** Names with values; rows without a value are left out. */
export function factList(rows: readonly (readonly [name: string, value: HtmlValue])[]): Html {
  const shown = rows.filter(([, value]) => value !== null && value !== false && value !== '');
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const QUOTE_MARKS = { en: ['“', '”'], ro: ['„', '”'] } as const;

/** A verbatim passage, in the language of the analysed content. */
export function quotation(view: ReportView, text: string): Html {
  const [open, close] = QUOTE_MARKS[view.language];
  return html`<q class="quote"${languageAttribute(view)}>${open}${text.replace(/\s+/gu, ' ').trim()}${close}</q>`;
}

/** The language of the analysed content as an attribute, when it is known. */
export function languageAttribute({ session }: Pick<ReportView, 'session'>): Html | null {
  const { input_language: language } = session;
  return language === null || language === 'und' ? null : html` lang="${language}"`;
}

/** In addresses of our own media, which need a token: none that a file could carry. */
const OWN_MEDIA = '/api/v3/media/file/';

/** The address of the analysed recording, when it is public. */
export function openRecording({ session }: Pick<ReportView, 'session'>): string | null {
  const { recording, input_media_url: address } = session;
  if (recording === null || address === null || address.includes(OWN_MEDIA)) return null;
  return isWebUrl(address) ? address : null;
}

/** A moment of the recording: a link that opens it there (Media Fragments URI 1.0), where it is public. */
export function momentLink(view: Pick<ReportView, 'session'>, seconds: number, text: string): Html {
  const address = openRecording(view);
  if (address === null) return html`${text}`;
  const at = Math.max(0, Math.round(10 * seconds) / 10);
  return link(`${address.replace(/#.*$/su, '')}#t=${at}`, text);
}

/** Moments with their words, one after the other. */
export const moments = (
  view: Pick<ReportView, 'session'>,
  all: readonly (readonly [text: string, seconds: number])[],
): Html[] =>
  all.map(([text, seconds], index) => html`${index === 0 ? null : ', '}${momentLink(view, seconds, text)}`);

/** Verbatim words with the times at which they are said, where they stand in a recording. */
export function passage(view: ReportView, words: string, spans: readonly Pick<Span, 'start_s'>[]): Html {
  const times = new Map(spans.flatMap(({ start_s: at }) => (at === undefined ? [] : [[clockTime(at), at]])));
  const timesHtml =
    times.size === 0 ? null : html` <span class="card-facts">${moments(view, [...times])}</span>`;
  return html`${quotation(view, words)}${timesHtml}`;
}

/** Passages as a list of quotations; the same words are shown once. */
export function quotations(view: ReportView, spans: readonly Pick<Span, 'quote' | 'start_s'>[]): Html | null {
  const quotes = [...new Set(spans.map(({ quote }) => quote))];
  if (quotes.length === 0) return null;
  const rows = quotes.map((words) => {
    const places = spans.filter(({ quote }) => quote === words);
    return html`<li>${passage(view, words, places)}</li>`;
  });
  return html`<ul class="quotes">${rows}</ul>`;
}

const isWebUrl = (address: string): boolean => /^https?:\/\//i.test(address);

/** An address as a link when it leads to the web, else as text. */
export function link(address: string, text: string): Html {
  if (!isWebUrl(address)) return html`${text}`;
  return html`<a href="${address}" rel="noopener noreferrer nofollow">${text}</a>`;
}

/** The number of a finding as the label of its card. */
export function numberTag(kind: string, number: string): Html {
  return html`<span class="number number-${kind}">${number}</span>`;
}
