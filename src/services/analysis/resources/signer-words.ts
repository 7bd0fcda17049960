import type { Language } from '../../../foundation/localized-text.ts';

const KNOWN: Readonly<Record<Language, string>> = {
  en: 'The operator of this installation trusts the signer.',
  ro: 'Operatorul acestei instalări are încredere în semnatar.',
};
const UNKNOWN: Readonly<Record<Language, string>> = {
  en: 'The signer is none of those that the operator of this installation trusts: anybody can sign under any name.',
  ro: 'Semnatarul nu este printre cei în care operatorul acestei instalări are încredere: oricine poate semna sub orice nume.',
};
const UNLISTED: Readonly<Record<Language, string>> = {
  en: 'Nobody checked who the signer is: anybody can sign under any name.',
  ro: 'Nimeni nu a verificat cine este semnatarul: oricine poate semna sub orice nume.',
};

/** What is known of who signed a history; null: the operator named no signers. */
export function signerWords(trusted: boolean | null, language: Language): string {
  if (trusted === null) return UNLISTED[language];
  return (trusted ? KNOWN : UNKNOWN)[language];
}
