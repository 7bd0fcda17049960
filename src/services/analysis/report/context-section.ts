import { type Html, html } from '../../../foundation/html.ts';
import { formatDecimal } from './format.ts';
import { anchorId, factList, numberTag, quotation, section } from './html-elements.ts';
import type { ContextSign, Numbered, ReportView } from './view.ts';

function card(view: ReportView, { number, item }: Numbered<ContextSign>): Html {
  const { labels, language } = view;
  const points = item.points === null ? null : `+${formatDecimal(item.points, 1, language)} ${labels.points}`;
  const quotes = [...new Set(item.spans.map(({ quote }) => quote))].map((quote) => quotation(view, quote));
  return html`<li class="card" id="${anchorId(view, number)}">
<h3>${numberTag('context', number)} ${item.name} <span class="points">${points ?? item.remark ?? ''}</span></h3>
${quotes.length === 0 ? null : html`<p>${quotes.flatMap((quote, index) => (index === 0 ? [quote] : [' · ', quote]))}</p>`}
</li>
`;
}

/** How easily the content spreads, with the factors that were measured. */
function virality(view: ReportView): Html | null {
  const { session, rules, labels, language } = view;
  const { verdict } = session;
  if (verdict === null || verdict.virality_score === null) return null;
  const level = rules.virality_levels.find(({ code }) => code === verdict.virality_level);
  const factors = [...verdict.virality_factors]
    .filter(({ value }) => value > 0)
    .sort((one, two) => two.contribution - one.contribution);
  return html`<h3>${labels.virality}</h3>
<p><strong>${formatDecimal(verdict.virality_score, 1, language)} / 100</strong>${level === undefined ? null : html` · ${level[language].toLowerCase()}`}. ${labels.viralityNote}</p>
${factList(factors.map((factor) => [factor[`name_${language}`], `+${formatDecimal(factor.contribution, 1, language)}`]))}`;
}

/** What headline, sources, genre and urgency add, and how easily the content spreads. */
export function contextSection(view: ReportView): Html | null {
  const { session, labels, signs } = view;
  if (session.verdict === null || session.verdict.score_context === null) return null;
  const cards =
    signs.length === 0
      ? html`<p>${labels.noContext}</p>`
      : html`<ol class="cards cards-small">${signs.map((sign) => card(view, sign))}</ol>`;
  return section(view, 'context', labels.context, [cards, virality(view)]);
}
