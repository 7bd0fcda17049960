import { type Html, html } from '../../../foundation/html.ts';
import { anchorId, languageAttribute, section } from './html-elements.ts';
import { PASSAGE_KINDS, type Segment, textSegments } from './passages.ts';
import { findingPassages, type ReportView } from './view.ts';

/** The number of a finding behind its passage; it leads to the finding and is left out when the text is copied. */
function reference(view: ReportView, kind: string, number: string, name: string): Html {
  return html`<a class="reference reference-${kind}" href="#${anchorId(view, number)}" aria-label="${number}: ${name}">${number}</a>`;
}

function marked(view: ReportView, { text, kinds, ending }: Segment): Html {
  const numbers = ending.map(({ kind, number, name }) => reference(view, kind, number, name));
  if (kinds.length === 0) return html`${text}${numbers}`;
  const classes = kinds.map((kind) => `mark-${kind}`).join(' ');
  return html`<mark class="${classes}">${text}</mark>${numbers}`;
}

/** The analysed text with the passages of all findings, and what the marks mean; a medium without words has no such part. */
export function textSection(view: ReportView): Html | null {
  const { session, labels } = view;
  const text = session.input_text;
  if (text === null || text === '') {
    if (session.input_type !== 'text' && session.input_type !== 'url') return null;
    return section(view, 'text', labels.text, html`<p class="aside">${labels.noText}</p>`);
  }
  const passages = findingPassages(view);
  const kinds = PASSAGE_KINDS.filter((kind) => passages.some((passage) => passage.kind === kind));
  const legend = kinds.map(
    (kind) =>
      html`<li><mark class="mark-${kind}">${labels.kinds[kind]}</mark> <span class="reference reference-${kind}">${labels.letters[kind]}</span></li>`,
  );
  const body = html`<p class="aside">${session.input_type === 'text' ? labels.submittedText : labels.extractedText}</p>
${kinds.length === 0 ? null : html`<ul class="legend" aria-label="${labels.legend}">${legend}</ul>`}
<div class="analysed-text"${languageAttribute(view)}>${textSegments(text, passages).map((segment) => marked(view, segment))}</div>
`;
  return section(view, 'text', labels.text, body);
}
