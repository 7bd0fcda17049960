/** HTML that is safe to send: made by the `html` tag alone. */
export class Html {
  private readonly source: string;

  private constructor(source: string) {
    this.source = source;
  }

  /** Takes markup as it stands; for constants of our own, never for values. */
  static trusted(source: string): Html {
    return new Html(source);
  }

  toString(): string {
    return this.source;
  }
}

/** What may stand in braces of the `html` tag; null and false print nothing. */
export type HtmlValue = Html | string | number | null | false | readonly HtmlValue[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for element content and quoted attributes; characters that HTML forbids become U+FFFD. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
    .replace(/\p{Cc}/gu, (control) => ('\t\n\r'.includes(control) ? control : '\ufffd'));
}

function printed(value: HtmlValue): string {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return value.map(printed).join('');
}

/** A template of HTML: every value is escaped unless it is HTML itself. Attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.trusted(
    parts.reduce((text, part, index) => `${text}${printed(values[index - 1] ?? null)}${part}`),
  );
}
