import { createHash } from 'node:crypto';
import { escapeHtml } from '../../foundation/html.ts';
import type { RealmName } from './keys.ts';
import { type PageLanguage, type PageTexts, pageTexts } from './page-texts.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #16202a; --paper: #ffffff; --ground: #eef2f5; --line: #8494a3; --accent: #0b5f7d; --alarm: #a1260d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eef3; --paper: #17212b; --ground: #0d141b; --line: #7d90a1; --accent: #7cc4e0; --alarm: #ff9c85; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: min(24rem, 100%); padding: 2rem; background: var(--paper); border-radius: .75rem; box-shadow: 0 1px 3px rgb(0 0 0 / .2); }
h1 { margin: 0 0 .25rem; font-size: 1.4rem; line-height: 1.25; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.error { color: var(--alarm); font-weight: 600; }
label { display: block; margin-top: 1rem; font-weight: 600; }
input { width: 100%; margin-top: .25rem; padding: .65rem .75rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .4rem; }
button { width: 100%; margin-top: 1.5rem; padding: .7rem; font: inherit; font-weight: 600; color: var(--paper); background: var(--accent); border: 1px solid var(--accent); border-radius: .4rem; cursor: pointer; }
button.quiet { margin-top: .5rem; color: var(--accent); background: transparent; border-color: transparent; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
nav { margin-top: 1.5rem; text-align: center; }
a { color: var(--accent); }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The security headers of a page. Browsers apply form-action to the redirects after a form too, so that the addresses
 * of the applications that a sign-in returns to are named.
 */
export function pageHeaders(returnOrigins: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    // The OIDC library adds the hash of the one script of its form_post page.
    "script-src 'none'",
    `form-action ${["'self'", ...returnOrigins].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    // Without a referrer a browser would call the origin of the sign-in form null.
    'Referrer-Policy': 'same-origin',
  };
}

function page(language: PageLanguage, title: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

/** Why the sign-in form is shown again. */
export type LoginProblem = 'wrong' | 'incomplete' | 'wait' | 'busy';

/** What the sign-in page shows. */
export interface LoginView {
  readonly language: PageLanguage;
  readonly realm: RealmName;
  /** The address of this page, to which the form is sent. */
  readonly action: string;
  readonly name: string;
  readonly problem?: LoginProblem | undefined;
}

function problemText(texts: PageTexts, problem: LoginProblem): string {
  return `<p class="error" role="alert" id="problem">${escapeHtml(texts[problem])}</p>`;
}

/** The sign-in page. */
export function loginPage({ language, realm, action, name, problem }: LoginView): string {
  const texts = pageTexts[language];
  const other = language === 'en' ? 'ro' : 'en';
  const described = problem === undefined ? '' : ' aria-describedby="problem" aria-invalid="true"';
  const focus = (wanted: boolean) => (wanted ? ' autofocus' : '');
  const address = escapeHtml(action);
  return page(
    language,
    texts.title,
    `<p>${escapeHtml(texts.realm[realm])}</p>
${problem === undefined ? '' : problemText(texts, problem)}
<form method="post" action="${address}?lang=${language}">
<label for="name">${escapeHtml(texts.name)}</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="200" value="${escapeHtml(name)}"${described}${focus(name === '')}>
<label for="password">${escapeHtml(texts.password)}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256"${described}${focus(name !== '')}>
<button type="submit">${escapeHtml(texts.submit)}</button>
<button type="submit" name="cancel" value="yes" class="quiet">${escapeHtml(texts.cancel)}</button>
</form>
<nav><a href="${address}?lang=${other}" hreflang="${other}" lang="${other}">${escapeHtml(texts.language)}</a></nav>`,
  );
}

/** The page of a sign-in that is over. */
export function expiredPage(language: PageLanguage): string {
  const texts = pageTexts[language];
  return page(language, texts.expiredTitle, `<p>${escapeHtml(texts.expired)}</p>`);
}

/** The page of a request that the protocol does not allow. `problem` is the library's own words. */
export function errorPage(language: PageLanguage, problem: string): string {
  const texts = pageTexts[language];
  return page(
    language,
    texts.errorTitle,
    `<p>${escapeHtml(texts.error)}</p>\n<p class="error" lang="en">${escapeHtml(problem)}</p>`,
  );
}

/** The page that asks whether to sign out. `form` is the library's form, whose buttons stand outside of it. */
export function logoutPage(language: PageLanguage, form: string): string {
  const texts = pageTexts[language];
  return page(
    language,
    texts.leaveTitle,
    `<p>${escapeHtml(texts.leave)}</p>
${form}
<button type="submit" form="op.logoutForm" value="yes" name="logout">${escapeHtml(texts.leaveYes)}</button>
<button type="submit" form="op.logoutForm" class="quiet">${escapeHtml(texts.leaveNo)}</button>`,
  );
}

/** The page after signing out, when the application named no address to return to. */
export function loggedOutPage(language: PageLanguage): string {
  const texts = pageTexts[language];
  return page(language, texts.signedOutTitle, `<p>${escapeHtml(texts.signedOut)}</p>`);
}
