import { describe, expect, it } from 'vitest';
import { pageLanguageOf, pageTexts } from '../../../src/services/identity/page-texts.ts';
import { errorPage, loginPage, pageHeaders } from '../../../src/services/identity/pages.ts';

describe('the language of a page', () => {
  it.each([
    [undefined, undefined, 'en'],
    [undefined, 'ro', 'ro'],
    [undefined, 'ro-MD,ro;q=0.9,en;q=0.8', 'ro'],
    [undefined, 'en;q=0.5, ro;q=0.7', 'ro'],
    [undefined, 'fr, de;q=0.9', 'en'],
    [undefined, 'fr, ro;q=0.2', 'ro'],
    [undefined, 'ro;q=0, en;q=0.1', 'en'],
    [undefined, ';;;,,q=', 'en'],
    ['ro', 'en', 'ro'],
    ['en-GB', 'ro', 'en'],
    ['xx', 'ro', 'ro'],
  ])('asked %j, accepted %j: %s', (asked, accepted, language) => {
    expect(pageLanguageOf(asked, accepted)).toBe(language);
  });
});

describe('the sign-in page', () => {
  const view = {
    language: 'ro',
    realm: 'clients',
    action: '/realms/clients/interaction/x',
    name: '',
  } as const;

  it('has a label for each field, its language, and no script', () => {
    const html = loginPage(view);
    expect(html).toContain('<html lang="ro">');
    for (const field of ['name', 'password']) {
      expect(html).toContain(`<label for="${field}">`);
      expect(html).toContain(`id="${field}"`);
    }
    expect(html).toContain('autocomplete="current-password"');
    expect(html).toContain('?lang=en"');
    expect(html).not.toContain('<script');
    expect(html).not.toContain('style="');
  });

  it('says what was wrong where a screen reader finds it', () => {
    const html = loginPage({ ...view, problem: 'wrong' });
    expect(html).toContain('role="alert"');
    expect(html).toContain('aria-describedby="problem"');
    expect(html).toContain(pageTexts.ro.wrong);
  });

  it('shows what was typed as text', () => {
    const html = loginPage({ ...view, name: '"><script>alert(1)</script>' });
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;');
    expect(errorPage('en', '<img src=x>')).toContain('&lt;img src=x&gt;');
  });

  it('allows its style by hash, and forms to the applications it returns to', () => {
    const policy = pageHeaders(['https://app.example'])['Content-Security-Policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/style-src 'sha256-[\w+/=]{44}'/);
    expect(policy).toContain("form-action 'self' https://app.example;");
    expect(policy).not.toContain('unsafe');
  });

  it('has every word in both languages, with the right letters', () => {
    expect(Object.keys(pageTexts.ro)).toEqual(Object.keys(pageTexts.en));
    expect(JSON.stringify(pageTexts.ro)).not.toMatch(/[şţŞŢ]/);
  });
});
