import { type Html, html } from '../../../foundation/html.ts';
import type { DomainResult } from '../resources/domain-result.ts';
import { formatDate, formatDecimal } from './format.ts';
import { factList, section } from './html-elements.ts';
import { domainSignalName, nameFromTable } from './names.ts';
import type { ReportView } from './view.ts';

function certificateOf({ labels }: ReportView, { has_ssl, ssl_valid }: DomainResult): string | null {
  if (has_ssl === null) return null;
  if (!has_ssl) return labels.certificateAbsent;
  return ssl_valid === false ? labels.certificateInvalid : labels.certificateValid;
}

function verdictOf({ labels }: ReportView, { verdict }: DomainResult): string | null {
  if (verdict === null) return null;
  const names: Readonly<Record<string, string>> = labels.sourceVerdicts;
  return nameFromTable(names, verdict, verdict);
}

function facts(view: ReportView, block: DomainResult): Html {
  const { labels, language } = view;
  const { trust_score: trust, age_days: age } = block;
  const verdict = verdictOf(view, block);
  return factList([
    [labels.sourceSection, block.domain === null ? null : html`<strong>${block.domain}</strong>`],
    [labels.verdict, verdict],
    [labels.trust, trust === null ? null : `${formatDecimal(trust, 1, language)} / 100`],
    [labels.age, age === null ? null : `${formatDecimal(age, 0, language)} ${labels.days}`],
    [labels.certificate, certificateOf(view, block)],
  ]);
}

function listings(view: ReportView, block: DomainResult): Html | null {
  const { labels, language } = view;
  if (block.lists.length === 0) return null;
  return html`<h3>${labels.lists}</h3>
<ul class="plain">${block.lists.map(
    ({ list, label, harmful, updated_at }) =>
      html`<li>${list}: ${label}${updated_at === null ? null : html` (${formatDate(updated_at, language)})`}${harmful ? html` <span class="tag tag-bad">${labels.harmful}</span>` : null}</li>`,
  )}</ul>`;
}

/** What is known of the source, with everything that was noticed and what gave no answer. */
export function sourceSection(view: ReportView): Html | null {
  const { session, labels, language } = view;
  const block = session.domain;
  if (block === null) return null;
  const signals = [...block.red_flags, ...block.warnings];
  const flags =
    signals.length === 0
      ? null
      : html`<h3>${labels.flags}</h3><ul class="plain">${signals.map((code) => html`<li>${domainSignalName(code, language)}</li>`)}</ul>`;
  return section(view, 'source', labels.sourceSection, [facts(view, block), listings(view, block), flags]);
}
