import { type Html, html } from '../../../foundation/html.ts';
import type { ClaimItem, EvidenceItem } from '../resources/claims-result.ts';
import { sourceName } from '../resources/source-name.ts';
import { EVIDENCE_LABELS } from './evidence-labels.ts';
import { formatDate } from './format.ts';
import { link, quotation } from './html-elements.ts';
import { stanceName } from './names.ts';
import type { ReportView } from './view.ts';

/** Passages of each side that are quoted, and sources that are named without a passage. */
const SHOWN = { passages: 2, others: 3 };
/** Credibility assumed for unrated sources when passages are sorted: the middle of 0 to 100. */
const UNRATED = 50;

/** A list below its heading; null without rows. */
export function titledList(title: string, rows: readonly Html[]): Html | null {
  return rows.length === 0 ? null : html`<h4>${title}</h4><ul class="evidence">${rows}</ul>`;
}

/** The rank of a passage: its relevance for the claim times the credibility of its source. */
const strengthOf = ({ relevance_score: relevance, credibility_score: credibility }: EvidenceItem) =>
  (relevance ?? 0) * (credibility ?? UNRATED);

/** The strongest items, one of each independent source. */
function strongest(items: readonly EvidenceItem[]): EvidenceItem[] {
  const byVoice = new Map<string, EvidenceItem>();
  for (const item of items.toSorted((one, other) => strengthOf(other) - strengthOf(one))) {
    const voice = item.independent_group ?? item.url;
    if (!byVoice.has(voice)) byVoice.set(voice, item);
  }
  return [...byVoice.values()];
}

function factsOf({ labels, language }: ReportView, item: EvidenceItem): Html {
  const words = EVIDENCE_LABELS[language];
  const { published_at: published, credibility_score: credibility } = item;
  const facts = [
    sourceName(item),
    published === null ? words.undated : formatDate(published, language),
    credibility === null
      ? words.unrated
      : `${words.sourceCredibility} ${Math.round(credibility)} ${labels.of100}`,
    `${labels.retrieved} ${formatDate(item.retrieved_at, language)}`,
  ].filter((fact) => fact !== null && fact !== '');
  return html`<p class="card-facts">${facts.join(' · ')}</p>`;
}

/** A passage with its source; a quote that only repeats the title is not shown twice. */
function passage(view: ReportView, item: EvidenceItem): Html {
  const { quote, title, url } = item;
  const repeats = quote === null || quote === title;
  return html`<li>${repeats ? null : html`<p>${quotation(view, quote)}</p>`}
<p>${link(url, title ?? url)}</p>
${factsOf(view, item)}</li>`;
}

/** A source that is listed without a passage: neutral, or only partly for or against the claim. */
function other(view: ReportView, item: EvidenceItem): Html {
  const tag =
    item.stance === 'context'
      ? null
      : html`<span class="tag">${stanceName(item.stance, view.language)}</span> `;
  return html`<li>${tag}${link(item.url, item.title ?? item.url)}
${factsOf(view, item)}</li>`;
}

/** The two best passages against a claim and for it, then sources on its subject that take no side. */
export function evidenceLists(view: ReportView, { evidence }: ClaimItem): Html {
  const words = EVIDENCE_LABELS[view.language];
  const side = (name: string) => strongest(evidence.filter((item) => item.stance === name));
  const [against, favouring] = [side('refutes'), side('supports')];
  const others = strongest(
    evidence.filter((item) => !['refutes', 'supports', 'irrelevant'].includes(item.stance)),
  );
  const passages = (items: readonly EvidenceItem[]) =>
    items.slice(0, SHOWN.passages).map((item) => passage(view, item));
  const hidden = [against, favouring].reduce(
    (sum, { length }) => sum + Math.max(0, length - SHOWN.passages),
    0,
  );
  const more = hidden + Math.max(0, others.length - SHOWN.others);
  return html`${titledList(words.against, passages(against))}
${titledList(words.favouring, passages(favouring))}
${titledList(
  words.otherSources,
  others.slice(0, SHOWN.others).map((item) => other(view, item)),
)}
${more === 0 ? null : html`<p class="aside">${words.moreSources}: ${more}.</p>`}`;
}
