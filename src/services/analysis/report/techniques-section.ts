import { type Html, html } from '../../../foundation/html.ts';
import { findingWeight } from '../resources/technique-weight.ts';
import type { TechniqueItem } from '../resources/techniques-result.ts';
import { formatPercent } from './format.ts';
import { anchorId, numberTag, quotations, section } from './html-elements.ts';
import { dimensionName } from './names.ts';
import type { Numbered, ReportView } from './view.ts';

/** Said of a technique that is listed and has no weight. */
const LISTED_ONLY = { en: 'does not count in the score', ro: 'nu contează în scor' } as const;

function card(view: ReportView, { number, item }: Numbered<TechniqueItem>): Html {
  const { labels, language } = view;
  return html`<li class="card" id="${anchorId(view, number)}">
<h3>${numberTag('technique', number)} ${item[`name_${language}`]}</h3>
<p class="card-facts">${dimensionName(item.dimension, language)} · ${labels.severity} ${item.severity}/5 · ${labels.confidence} ${formatPercent(item.confidence, language)}${findingWeight(item) > 0 ? '' : ` · ${LISTED_ONLY[language]}`}</p>
${quotations(view, item.spans)}
<p>${item[`explanation_${language}`]}</p>
</li>
`;
}

/** The manipulation techniques, the strongest first. */
export function techniquesSection(view: ReportView): Html | null {
  const { session, labels, techniques } = view;
  if (session.techniques === null) return null;
  const body =
    techniques.length === 0
      ? html`<p>${labels.noTechniques}</p>`
      : html`<ol class="cards">${techniques.map((technique) => card(view, technique))}</ol>`;
  return section(view, 'techniques', labels.techniques, body);
}
