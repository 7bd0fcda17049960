import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { domainCheckSettings } from './settings.ts';

/** The settings of the domain check that staff may change. */
export const domainCheckLiveSettings = liveSettings('domain_check', domainCheckSettings, {
  DOMAIN_TIMEOUT_MS: 'Timpul pentru toate verificările în direct ale unui domeniu, în milisecunde.',
  DOMAIN_TLS_TIMEOUT_MS: 'Timpul pentru certificat, în milisecunde.',
  DOMAIN_LIVE_CONCURRENCY:
    'Domenii despre care se întreabă în același timp; celelalte se judecă după dovezile din arhivă, iar răspunsul o spune.',
  DOMAIN_CACHE_SECONDS: 'Cât se păstrează dovezile în direct complete, în secunde.',
  DOMAIN_LIVE: {
    ro: 'Întreabă registrele, serverele de nume și serverele web despre un domeniu; fără, rămân doar dovezile din arhivă.',
    restart: true,
  },
  DOMAIN_NAME_MODEL: {
    ro: 'Lasă literele numelui unui site necunoscut să-i miște puțin scorul.',
    restart: true,
  },
  DOMAIN_RDAP_TIMEOUT_MS: { ro: 'Timpul pentru registru, în milisecunde.', restart: true },
  DOMAIN_WHOIS_TIMEOUT_MS: { ro: 'Timpul pentru WHOIS, în milisecunde.', restart: true },
  DOMAIN_DNS_TIMEOUT_MS: { ro: 'Timpul pentru serverele de nume, în milisecunde.', restart: true },
  DOMAIN_CACHE_ENTRIES: { ro: 'Domenii ale căror dovezi în direct se păstrează în memorie.', restart: true },
  DOMAIN_RETRY_SECONDS: {
    ro: 'Cât se păstrează dovezile în direct incomplete și cât timp nu mai este întrebat un server inaccesibil, în secunde.',
    restart: true,
  },
});
