import { createHash } from 'node:crypto';
import { Html, html } from '../../../foundation/html.ts';
import type { ReasonLanguage } from '../reasons.ts';
import { aiSection } from './ai-section.ts';
import { arithmeticSection } from './arithmetic-section.ts';
import { claimsSection } from './claims-section.ts';
import { contextSection } from './context-section.ts';
import { anchorId } from './html-elements.ts';
import { limitsSection } from './limits-section.ts';
import { leadingPicturesSection, pictureSection } from './picture-section.ts';
import { recordSection } from './record-section.ts';
import { RECORDING_LABELS } from './recording-labels.ts';
import { recordingSection } from './recording-section.ts';
import { sourceSection } from './source-section.ts';
import { STYLE } from './style.ts';
import { techniquesSection } from './techniques-section.ts';
import { textSection } from './text-section.ts';
import { categoryOf, explanationSection, reportHead, titleOf, verdictSection } from './verdict-section.ts';
import { type ReportSource, type ReportView, reportViewOf } from './view.ts';

/** The contents: a link for each section that the report has. */
function contents(view: ReportView, names: readonly (readonly [name: string, title: string])[]): Html {
  const links = names.map(([name, title]) => html`<li><a href="#${anchorId(view, name)}">${title}</a></li>`);
  return html`<nav class="contents" aria-label="${view.labels.contents}"><ol>${links}</ol></nav>
`;
}

/** One language of the report. */
function languagePart(view: ReportView): Html {
  const { labels } = view;
  const sections: (readonly [name: string, title: string, body: Html | null])[] = [
    ['verdict', labels.verdict, verdictSection(view)],
    ['explanation', labels.explanation, explanationSection(view)],
    ['arithmetic', labels.arithmetic, arithmeticSection(view)],
    ['text', labels.text, textSection(view)],
    ['techniques', labels.techniques, techniquesSection(view)],
    ['claims', labels.claims, claimsSection(view)],
    ['ai', labels.ai, aiSection(view)],
    ['picture', labels.pictures.title, pictureSection(view)],
    ['pictures', labels.pictures.leading, leadingPicturesSection(view)],
    ['recording', RECORDING_LABELS[view.language].title, recordingSection(view)],
    ['source', labels.sourceSection, sourceSection(view)],
    ['context', labels.context, contextSection(view)],
    ['limits', labels.limits, limitsSection(view)],
    ['record', labels.record, recordSection(view)],
  ];
  const present = sections.filter(([, , body]) => body !== null);
  return html`<main id="${anchorId(view, 'report')}" class="part part-${view.language}" lang="${view.language}">
${reportHead(view)}${contents(
  view,
  present.map(([name, title]) => [name, title]),
)}${present.map(([, , body]) => body)}</main>
`;
}

/** The colours of the verdict and of the scale, and which language is shown. */
function ownStyle(source: ReportSource, languages: readonly ReasonLanguage[]): string {
  const bands = source.rules.risk_bands.map(({ color_hex }, index) => `.band-${index}{fill:${color_hex}}`);
  const switches = languages.map(
    (language) =>
      `#switch-${language}:not(:checked)~.part-${language}{display:none}` +
      `#switch-${language}:checked~.languages label[for=switch-${language}]{background:#1a202c;color:#fff}`,
  );
  return [`:root{--risk:${categoryOf(source).color_hex}}`, ...bands, ...switches].join('\n');
}

/** Buttons that change between the languages without a script. */
function languageSwitch(views: readonly ReportView[]): Html | null {
  if (views.length < 2) return null;
  const inputs = views.map(
    ({ language }, index) =>
      html`<input class="switch" type="radio" name="language" id="switch-${language}"${index === 0 ? html` checked` : null}>`,
  );
  const buttons = views.map(
    ({ language, labels }) =>
      html`<label for="switch-${language}" lang="${language}">${labels.language}</label>`,
  );
  const title = views.map(({ labels }) => labels.languages).join(' / ');
  return html`${inputs}
<div class="languages" role="group" aria-label="${title}">${buttons}</div>
`;
}

/** The content security policy: the page may show only itself and embedded pictures. */
function contentPolicy(style: string, hasPictures: boolean): string {
  const hash = createHash('sha256').update(style).digest('base64');
  const pictures = hasPictures ? ' img-src data:;' : '';
  return `default-src 'none'; style-src 'sha256-${hash}';${pictures} base-uri 'none'; form-action 'none'`;
}

/**
 * The report as one HTML file that needs nothing beside it: no script, no font, and pictures within it. With several languages the
 * first one is shown, and the reader may change.
 */
export function htmlReport(
  source: ReportSource,
  languages: readonly [ReasonLanguage, ...ReasonLanguage[]],
): string {
  const views = languages.map((language) => reportViewOf(source, language));
  const [first] = views;
  if (first === undefined) throw new Error('a report needs a language');
  const style = STYLE + ownStyle(source, languages.length > 1 ? languages : []);
  const page = html`<!doctype html>
<html lang="${first.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(style, (source.pictures?.size ?? 0) > 0)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="Limpede ${source.version}">
<title>${titleOf(first)} · ${first.labels.report}</title>
<style>${Html.trusted(style)}</style>
</head>
<body>
<a class="skip" href="#${anchorId(first, 'report')}">${first.labels.skip}</a>
${languageSwitch(views)}${views.map(languagePart)}</body>
</html>
`;
  return page.toString();
}
