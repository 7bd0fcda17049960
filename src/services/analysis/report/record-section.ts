import { type Html, html } from '../../../foundation/html.ts';
import type { Engine } from '../resources/finding.ts';
import { formatDateTime, formatDuration } from './format.ts';
import { factList, section } from './html-elements.ts';
import type { ReportView } from './view.ts';

interface EngineRow {
  readonly model: string;
  readonly version: string;
  readonly findings: number;
}

/** The engines behind the findings, each version once. */
function enginesOf({ session, details }: ReportView): EngineRow[] {
  const items: Pick<Engine, 'model' | 'version'>[] = [
    ...(session.techniques?.techniques_detected ?? []),
    ...(session.claims?.claims_verified ?? []),
    ...(session.ai_tampered?.indicators_detected ?? []),
  ].map(({ engine }) => engine);
  const rows = new Map<string, EngineRow>();
  for (const { model, version } of items) {
    const key = `${model} ${version}`;
    rows.set(key, { model, version, findings: (rows.get(key)?.findings ?? 0) + 1 });
  }
  const source = session.domain?.engine;
  if (source !== null && source !== undefined)
    rows.set(source.model, { model: source.model, version: source.version, findings: 1 });
  const author = details.explained_by;
  if (author !== undefined)
    rows.set(author.model, { model: author.model, version: author.prompt ?? '–', findings: 1 });
  return [...rows.values()];
}

function engineTable(view: ReportView): Html | null {
  const { labels } = view;
  const rows = enginesOf(view);
  if (rows.length === 0) return null;
  return html`<h3>${labels.engines}</h3>
<table class="engines"><thead><tr><th scope="col">${labels.engine}</th><th scope="col">${labels.version}</th><th scope="col" class="amount">${labels.findings}</th></tr></thead><tbody>
${rows.map(({ model, version, findings }) => html`<tr><th scope="row">${model}</th><td>${version}</td><td class="amount">${findings}</td></tr>`)}
</tbody></table>`;
}

/** What is needed to find the session again and to redo its numbers. */
export function recordSection(view: ReportView): Html {
  const { session, labels, language, madeAt, version } = view;
  const code = (value: string | null) => (value === null ? null : html`<code>${value}</code>`);
  const took = session.total_duration_ms;
  return section(view, 'record', labels.record, [
    factList([
      [labels.session, code(session.session_id)],
      [labels.inputHash, code(session.input_hash)],
      [labels.created, formatDateTime(session.created_at, language)],
      [
        labels.completed,
        session.completed_at === null ? null : formatDateTime(session.completed_at, language),
      ],
      [labels.took, took === null ? null : formatDuration(took, language)],
      [labels.plan, session.plan_type],
      [labels.weightsSource, code(session.verdict?.weights_source ?? null)],
      [labels.rulesVersion, code(session.verdict?.rules_version ?? null)],
      [labels.apiVersion, session.api_version],
      [labels.made, `${formatDateTime(madeAt.toISOString(), language)} ${labels.by} Limpede ${version}`],
    ]),
    engineTable(view),
    html`<p class="aside">${labels.note}</p>`,
  ]);
}
