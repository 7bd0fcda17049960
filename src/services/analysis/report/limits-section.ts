import { type Html, html } from '../../../foundation/html.ts';
import { type Reason, sentence } from '../reasons.ts';
import type { ClaimItem } from '../resources/claims-result.ts';
import { COMPONENT_WORDS, SCORED_COMPONENTS } from '../resources/component-blocks.ts';
import { SCORES, type ScoreName } from '../resources/verdict-config.ts';
import { anchorId, section } from './html-elements.ts';
import { nameFromTable } from './names.ts';
import type { ReportView } from './view.ts';

/** Why a score has no number although its component ran. */
function whyNoNumber({ session, language }: ReportView, name: ScoreName): string | null {
  const words = (reason: Reason) => sentence(reason, language);
  const ai = session.ai_tampered;
  switch (name) {
    case 'ai':
      if (typeof ai?.ai_probability === 'number') return words({ code: 'traces_decide_nothing', values: {} });
      return (
        (language === 'ro' ? ai?.reason_ro : ai?.reason) ?? words({ code: 'nothing_to_measure', values: {} })
      );
    case 'manipulation':
      return words({ code: 'wording_not_read', values: {} });
    case 'claims':
      return words({ code: 'no_claim_decided', values: {} });
    case 'source':
      return words({ code: 'source_not_scored', values: {} });
    default:
      return words({ code: 'nothing_to_measure', values: {} });
  }
}

/** Scores without a number whose component gave a result; the others are named by their component. */
function withoutNumber(view: ReportView): Html[] {
  const { session, labels } = view;
  const { verdict } = session;
  if (verdict === null) return [];
  return SCORES.filter((name) => {
    const component = SCORED_COMPONENTS[name];
    if (verdict[`score_${name}`] !== null) return false;
    return component === null ? session.input_text !== null : session.components_run.includes(component);
  }).map((name) => html`<li><strong>${labels.scores[name]}.</strong> ${whyNoNumber(view, name)}</li>`);
}

/** A checkable claim without any evidence in the record. */
const isUnchecked = ({ status, evidence, previous_fact_checks }: ClaimItem) =>
  status === 'unverified' && evidence.length === 0 && previous_fact_checks.length === 0;

function list(title: string, rows: readonly Html[]): Html | null {
  return rows.length === 0 ? null : html`<h3>${title}</h3><ul class="plain">${rows}</ul>`;
}

/** The checks of the source that gave no answer. */
function silentChecks({ session, labels, language }: ReportView): Html | null {
  const names: Readonly<Record<string, string>> = labels.sourceChecks;
  const silent = (session.domain?.checks ?? []).filter(({ answered }) => !answered);
  return list(
    labels.unanswered,
    silent.map(
      ({ check, message, message_ro }) =>
        html`<li><strong>${nameFromTable(names, check, check)}.</strong> ${language === 'ro' ? message_ro : message}</li>`,
    ),
  );
}

/** Everything that this analysis did not check, with the reason. */
export function limitsSection(view: ReportView): Html {
  const { session, labels, language, claims } = view;
  const inLanguage = (english: string, romanian: string) => (language === 'ro' ? romanian : english);
  const skipped = session.skipped.map(
    ({ component, reason, reason_ro }) =>
      html`<li><strong>${COMPONENT_WORDS[component].title[language]}.</strong> ${inLanguage(reason, reason_ro)}</li>`,
  );
  const degraded = session.degraded.map(
    ({ message, message_ro }) => html`<li>${inLanguage(message, message_ro)}</li>`,
  );
  const unchecked = claims.filter(({ item }) => isUnchecked(item));
  const searched = (session.claims?.web_searches_made ?? 0) > 0;
  const numbered = (title: string, isChecked: boolean | null) => {
    const numbers = unchecked
      .filter(({ item }) => item.searched === isChecked)
      .map(
        ({ number }) =>
          html`<a class="reference reference-claim" href="#${anchorId(view, number)}">${number}</a> `,
      );
    if (numbers.length === 0) return null;
    return html`<h3>${title}</h3><p>${searched ? null : `${labels.noSearch} `}${numbers}</p>`;
  };
  const parts = [
    list(labels.leftOut, skipped),
    list(labels.noNumber, withoutNumber(view)),
    list(labels.degraded, degraded),
    silentChecks(view),
    numbered(labels.inVain, true),
    numbered(labels.notSearched, false),
    numbered(labels.unchecked, null),
  ];
  const none = parts.every((part) => part === null);
  return section(view, 'limits', labels.limits, none ? html`<p>${labels.noLimits}</p>` : parts);
}
