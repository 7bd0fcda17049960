/** The languages of the sign-in pages. */
export type PageLanguage = 'en' | 'ro';

/** The words of the sign-in pages. */
export interface PageTexts {
  title: string;
  realm: { clients: string; admins: string };
  name: string;
  password: string;
  submit: string;
  cancel: string;
  wrong: string;
  incomplete: string;
  wait: string;
  busy: string;
  expiredTitle: string;
  expired: string;
  errorTitle: string;
  error: string;
  leaveTitle: string;
  leave: string;
  leaveYes: string;
  leaveNo: string;
  signedOutTitle: string;
  signedOut: string;
  language: string;
}

const english: PageTexts = {
  title: 'Sign in to Limpede',
  realm: { clients: 'Reader account', admins: 'Staff account' },
  name: 'User name',
  password: 'Password',
  submit: 'Sign in',
  cancel: 'Cancel',
  wrong: 'The user name or the password is not right.',
  incomplete: 'Enter your user name and your password.',
  wait: 'Too many attempts. Wait a moment, then try again.',
  busy: 'Many people are signing in right now. Try again in a few seconds.',
  expiredTitle: 'This sign-in has ended',
  expired:
    'The page was open for too long, or the sign-in was finished elsewhere. Start again from the application.',
  errorTitle: 'The sign-in could not go on',
  error: 'The application sent a request that cannot be answered:',
  leaveTitle: 'Sign out',
  leave: 'Do you want to sign out of Limpede?',
  leaveYes: 'Sign out',
  leaveNo: 'Stay signed in',
  signedOutTitle: 'You are signed out',
  signedOut: 'You can close this page.',
  language: 'Română',
};

const romanian: PageTexts = {
  title: 'Autentificare în Limpede',
  realm: { clients: 'Cont de cititor', admins: 'Cont de echipă' },
  name: 'Nume de utilizator',
  password: 'Parolă',
  submit: 'Intră în cont',
  cancel: 'Renunță',
  wrong: 'Numele de utilizator sau parola nu sunt corecte.',
  incomplete: 'Scrieți numele de utilizator și parola.',
  wait: 'Prea multe încercări. Așteptați puțin, apoi încercați din nou.',
  busy: 'Multe persoane se autentifică în acest moment. Încercați din nou peste câteva secunde.',
  expiredTitle: 'Autentificarea a expirat',
  expired:
    'Pagina a stat deschisă prea mult timp sau v-ați autentificat deja în altă parte. Reluați autentificarea din aplicație.',
  errorTitle: 'Autentificarea nu a putut continua',
  error: 'Aplicația a trimis o cerere la care nu se poate răspunde:',
  leaveTitle: 'Ieșire din cont',
  leave: 'Doriți să ieșiți din contul Limpede?',
  leaveYes: 'Ieși din cont',
  leaveNo: 'Rămân în cont',
  signedOutTitle: 'Ați ieșit din cont',
  signedOut: 'Puteți închide această pagină.',
  language: 'English',
};

/** The words of the pages by language. */
export const pageTexts: Readonly<Record<PageLanguage, PageTexts>> = { en: english, ro: romanian };

/** The language of a page: the one asked for in the address, else the first of Accept-Language that we have, else English. */
export function pageLanguageOf(
  requested: string | undefined,
  acceptLanguage: string | undefined,
): PageLanguage {
  const requestedLocales = requested === undefined ? [] : [requested.toLowerCase()];
  const accepted = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
      return { tag, weight: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
  for (const tag of [...requestedLocales, ...accepted]) {
    const primary = tag.split('-')[0];
    if (primary === 'ro' || primary === 'mo') return 'ro';
    if (primary === 'en') return 'en';
  }
  return 'en';
}
