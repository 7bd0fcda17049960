import { type Html, html } from '../../../foundation/html.ts';
import type { AiTamperedResult, IndicatorItem } from '../resources/ai-tampered-result.ts';
import { formatDecimal, formatPercent } from './format.ts';
import { anchorId, factList, numberTag, quotation, section } from './html-elements.ts';
import { aiCategoryName, aiVerdictName } from './names.ts';
import type { Numbered, ReportView } from './view.ts';

function card(view: ReportView, { number, item }: Numbered<IndicatorItem>): Html {
  const { labels, language } = view;
  const quote = item.where !== null && 'quote' in item.where ? item.where.quote : null;
  return html`<li class="card" id="${anchorId(view, number)}">
<h3>${numberTag('indicator', number)} ${aiCategoryName(item.category, language)}</h3>
<p class="card-facts">${labels.confidence} ${formatPercent(item.confidence, language)}</p>
${quote === null ? null : html`<p>${quotation(view, quote)}</p>`}
<p>${item[`explanation_${language}`]}</p>
${item.cautions.map((caution) => html`<p class="aside">${labels.cautions}: ${caution[language]}</p>`)}
</li>
`;
}

function facts(view: ReportView, block: AiTamperedResult): Html {
  const { labels, language } = view;
  const reason = language === 'ro' ? block.reason_ro : block.reason;
  const probability = block.ai_probability;
  return factList([
    [labels.verdict, html`<strong>${aiVerdictName(block.verdict, language)}</strong>`],
    [
      block.content_type === 'text' ? labels.probability : labels.madeOrChanged,
      probability === null ? null : `${formatDecimal(probability, 1, language)}%`,
    ],
    [labels.noProbability, probability === null ? reason : null],
    [labels.disclosure, block.disclosure_text === null ? null : quotation(view, block.disclosure_text)],
    [labels.evidenceGrade, labels.grades[block.evidence_grade]],
  ]);
}

/** Traces of machine writing and tampering; where there is no probability, the reason. */
export function aiSection(view: ReportView): Html | null {
  const { session, labels, indicators } = view;
  if (session.ai_tampered === null) return null;
  const cards =
    indicators.length === 0
      ? html`<p>${labels.noIndicators}</p>`
      : html`<ol class="cards">${indicators.map((indicator) => card(view, indicator))}</ol>`;
  return section(view, 'ai', labels.ai, [facts(view, session.ai_tampered), cards]);
}
