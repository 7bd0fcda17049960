import type { ClaimItem, EvidenceItem, PreviousFactCheck } from '../resources/claims-result.ts';
import { day, decimal, percent } from './format.ts';
import { type Html, html } from './html.ts';
import { claimStatus, claimType, interpretation, nameIn, stance } from './names.ts';
import { anchor, factList, link, numberTag, quotation, section } from './parts.ts';
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
const STANCE_TONES: Readonly<Record<string, Tone>> = {
  supports: 'good',
  refutes: 'bad',
  mixed: 'mixed',
};

function evidenceLine(view: ReportView, item: EvidenceItem): Html {
  const { labels, language } = view;
  const facts = [
    item.publisher,
    item.published_at === null ? null : day(item.published_at, language),
    `${labels.retrieved} ${day(item.retrieved_at, language)}`,
  ].filter((fact) => fact !== null);
  return html`<li><span class="tag tag-${nameIn(STANCE_TONES, item.stance, 'plain')}">${stance(item.stance, language)}</span> ${link(item.url, item.title ?? item.url)}
<p class="card-facts">${facts.join(' · ')}</p>
${item.quote === null ? null : html`<p>${quotation(view, item.quote)}</p>`}</li>`;
}

function earlierCheck({ labels, language }: ReportView, check: PreviousFactCheck): Html {
  const match = check.match === 'confirmed' ? labels.confirmedMatch : labels.suggestedMatch;
  return html`<li>${link(check.url, check.claim ?? check.url)}
<p class="card-facts">${check.publisher}${check.rating === null ? null : html` · ${check.rating}`} · ${match}, ${labels.similarity} ${percent(check.similarity, language)}</p></li>`;
}

function list(title: string, rows: readonly Html[]): Html | null {
  return rows.length === 0 ? null : html`<h4>${title}</h4><ul class="evidence">${rows}</ul>`;
}

function card(view: ReportView, { number, item }: Numbered<ClaimItem>): Html {
  const { labels, language } = view;
  const confidence =
    item.confidence === null ? null : ` · ${labels.confidence} ${percent(item.confidence, language)}`;
  const searched = (view.session.claims?.web_searches_made ?? 0) > 0;
  return html`<li class="card" id="${anchor(view, number)}">
<h3>${numberTag('claim', number)} <span class="tag tag-${nameIn(TONES, item.status, 'plain')}">${claimStatus(item.status, language)}</span></h3>
<p>${quotation(view, item.text)}</p>
<p class="card-facts">${claimType(item.type, language)} · ${labels.checkworthiness} ${percent(item.checkworthiness, language)}${confidence}</p>
${item.reviewed_at === null ? null : html`<p class="note">${labels.reviewed} ${day(item.reviewed_at, language)}</p>`}
<p>${item[`explanation_${language}`]}</p>
${list(
  labels.evidence,
  item.evidence.map((evidence) => evidenceLine(view, evidence)),
)}
${item.evidence.length === 0 && searched ? html`<p class="aside">${labels.noEvidence}</p>` : null}
${list(
  labels.earlierChecks,
  item.previous_fact_checks.map((check) => earlierCheck(view, check)),
)}
${list(
  searched ? labels.queriesMade : labels.queriesProposed,
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
  const body = html`<p>${interpretation(block.interpretation, language)}.</p>
${factList([[labels.credibility, credibility === null ? null : `${decimal(credibility, 1, language)} / 100`]])}
${claims.length === 0 ? html`<p>${labels.noClaims}</p>` : html`<ol class="cards">${claims.map((claim) => card(view, claim))}</ol>`}
`;
  return section(view, 'claims', labels.claims, body);
}
