import { type Html, html } from '../../../foundation/html.ts';
import { plainReason, sentence } from '../reasons.ts';
import { SCORES, type ScoreName } from '../resources/verdict-config.ts';
import type { VerdictResult } from '../resources/verdict-result.ts';
import { formatDecimal, formatPercent, formatSigned } from './format.ts';
import { section } from './html-elements.ts';
import type { ReportView } from './view.ts';

/** The bar of a score is drawn in a box of this many units. */
const BAR_WIDTH = 100;

function bar(score: number): Html {
  return html`<svg class="bar" viewBox="0 0 ${BAR_WIDTH} 8" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-track" width="${BAR_WIDTH}" height="8"/><rect class="bar-fill" width="${Number(score.toFixed(1))}" height="8"/></svg>`;
}

function scoreRow(view: ReportView, verdict: VerdictResult, name: ScoreName): Html {
  const { labels, language } = view;
  const score = verdict[`score_${name}`];
  const label = html`<th scope="row">${labels.scores[name]}</th>`;
  if (score === null) return html`<tr class="unused">${label}<td colspan="4">${labels.notUsed}</td></tr>`;
  const weight = verdict.applied_weights[name];
  return html`<tr>${label}<td class="bar-cell">${bar(score)}</td><td class="amount">${formatDecimal(score, 2, language)}</td><td class="amount">× ${formatDecimal(weight, 4, language)}</td><td class="amount">${formatDecimal(score * weight, 2, language)}</td></tr>`;
}

/** The table from the five scores to the risk score. */
function scoreTable(view: ReportView, verdict: VerdictResult, riskScore: number): Html {
  const { labels, language } = view;
  const sum = SCORES.reduce(
    (total, name) => total + verdict.applied_weights[name] * (verdict[`score_${name}`] ?? 0),
    0,
  );
  const line = (name: string, value: string, kind: string) =>
    html`<tr class="${kind}"><th scope="row" colspan="4">${name}</th><td class="amount">${value}</td></tr>`;
  return html`<table class="arithmetic">
<caption>${labels.arithmeticIntro}</caption>
<thead><tr><th scope="col">${labels.check}</th><td class="bar-cell"></td><th scope="col" class="amount">${labels.score}</th><th scope="col" class="amount">${labels.weight}</th><th scope="col" class="amount">${labels.contribution}</th></tr></thead>
<tbody>
${SCORES.map((name) => scoreRow(view, verdict, name))}
</tbody>
<tfoot>
${line(labels.base, formatDecimal(sum, 2, language), 'base')}
${verdict.override_applied ? line(labels.adjustment, formatSigned(verdict.override_adjustment, 2, language), 'adjustment') : null}
${line(labels.result, formatDecimal(riskScore, 1, language), 'result')}
</tfoot>
</table>`;
}

/** The overrides whose condition held, and whether they set the number; a ceiling without effect is left out. */
function overrideList({ details, labels, language }: ReportView): Html | null {
  const lines = (details.overrides ?? []).filter((line) => line.set_the_number || line.kind !== 'ceiling');
  if (lines.length === 0) return null;
  return html`<h3>${labels.rules}</h3>
<ul class="plain">${lines.map(
    (line) =>
      html`<li>${line[`reason_${language}`]} <span class="tag">${line.set_the_number ? labels.setTheNumber : labels.hadNoEffect}</span></li>`,
  )}</ul>`;
}

/** The sentence of a code; the code itself when the table does not have it. */
function wordsOf(code: string, { language }: ReportView): string {
  const reason = plainReason(code);
  return reason === undefined ? code : sentence(reason, language);
}

/** What the confidence was made of. */
function confidenceList(view: ReportView): Html | null {
  const { details, labels, language } = view;
  const parts = details.confidence;
  if (parts === undefined) return null;
  const row = (name: string, value: string) =>
    html`<tr><th scope="row">${name}</th><td class="amount">${value}</td></tr>`;
  const penalties = parts.penalties.map(({ code, factor, times }) =>
    row(
      wordsOf(code, view),
      `× ${formatDecimal(factor, 2, language)}${times > 1 ? `, ${times} ${labels.times}` : ''}`,
    ),
  );
  const caps = parts.caps.map(({ code, value }) =>
    row(wordsOf(code, view), `${labels.limitedTo} ${formatPercent(value, language)}`),
  );
  return html`<h3>${labels.confidenceParts}</h3>
<table class="confidence"><tbody>
${row(labels.coverage, formatPercent(parts.coverage, language))}
${row(labels.quality, formatPercent(parts.quality, language))}
${row(labels.agreement, formatPercent(parts.agreement, language))}
${penalties}${caps}
</tbody></table>`;
}

/** How the risk score and the confidence are made. */
export function arithmeticSection(view: ReportView): Html | null {
  const { verdict, risk_score: riskScore } = view.session;
  if (verdict === null || riskScore === null) return null;
  return section(view, 'arithmetic', view.labels.arithmetic, [
    scoreTable(view, verdict, riskScore),
    overrideList(view),
    confidenceList(view),
  ]);
}
