import { type Html, html } from '../../../foundation/html.ts';
import type { ClaimItem, PreviousFactCheck } from '../resources/claims-result.ts';
import { ratingName } from '../resources/ratings.ts';
import { evidenceLists, titledList } from './evidence-lists.ts';
import { formatDate, formatDecimal, formatPercent } from './format.ts';
import { anchorId, factList, link, numberTag, passage, section } from './html-elements.ts';
import { claimStatusName, claimTypeName, interpretationName, nameFromTable } from './names.ts';
import type { Numbered, ReportView } from './view.ts';

/** How a tag is shown. */
type Tone = 'good' | 'bad' | 'mixed' | 'plain';

/** Claim statuses by how they are shown: never by colour alone, the name stands beside it. */
const TONES: Readonly<Record<string, Tone>> = {
  verified_true: 'good',
  mostly_true: 'good',
  partly_true: 'mixed',
  misleading: 'bad',
  mostly_false: 'bad',
  verified_false: 'bad',
  outdated: 'mixed',
  conflicting: 'mixed',
};

function earlierCheck({ labels, language }: ReportView, check: PreviousFactCheck): Html {
  const match = check.match === 'confirmed' ? labels.confirmedMatch : labels.suggestedMatch;
  return html`<li>${link(check.url, check.claim ?? check.url)}
<p class="card-facts">${check.publisher}${check.rating === null ? null : html` · ${ratingName(check.rating, language)}`} · ${match}, ${labels.similarity} ${formatPercent(check.similarity, language)}</p></li>`;
}

/** The heading of the search queries of a claim: made, made in vain, or only proposed. */
function queriesTitle({ labels }: ReportView, { searched, evidence }: ClaimItem): string {
  if (evidence.length > 0) return labels.queriesMade;
  return searched ? labels.queriesInVain : labels.queriesProposed;
}

function card(view: ReportView, { number, item }: Numbered<ClaimItem>): Html {
  const { labels, language } = view;
  // What evidence decided has no probability, but the strength of that evidence.
  const named = item.searched ? labels.evidenceStrength : labels.confidence;
  const confidence =
    item.confidence === null ? null : ` · ${named} ${formatPercent(item.confidence, language)}`;
  return html`<li class="card" id="${anchorId(view, number)}">
<h3>${numberTag('claim', number)} <span class="tag tag-${nameFromTable(TONES, item.status, 'plain')}">${claimStatusName(item.status, language)}</span></h3>
<p>${passage(view, item.text, [item.span])}</p>
<p class="card-facts">${claimTypeName(item.type, language)} · ${labels.checkworthiness} ${formatPercent(item.checkworthiness, language)}${confidence}</p>
${item.reviewed_at === null ? null : html`<p class="note">${labels.reviewed} ${formatDate(item.reviewed_at, language)}</p>`}
<p>${item[`explanation_${language}`]}</p>
${evidenceLists(view, item)}
${titledList(
  labels.earlierChecks,
  item.previous_fact_checks.map((check) => earlierCheck(view, check)),
)}
${titledList(
  queriesTitle(view, item),
  item.queries.map((query) => html`<li>${query}</li>`),
)}
</li>
`;
}

/** The claims in the order of the text, each with its evidence. */
export function claimsSection(view: ReportView): Html | null {
  const { session, labels, language, claims } = view;
  const block = session.claims;
  if (block === null) return null;
  const credibility = block.credibility_score;
  const body = html`<p>${interpretationName(block.interpretation, language)}.</p>
${factList([[labels.credibility, credibility === null ? null : `${formatDecimal(credibility, 1, language)} / 100`]])}
${claims.length === 0 ? html`<p>${labels.noClaims}</p>` : html`<ol class="cards">${claims.map((claim) => card(view, claim))}</ol>`}
`;
  return section(view, 'claims', labels.claims, body);
}
