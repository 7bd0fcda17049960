import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { webSettings } from './settings.ts';

/** The settings of the web service that staff may change. */
export const webLiveSettings = liveSettings('web', webSettings, {
  WEB_RATE_LIMIT_RPS: 'Cereri pe secundă, pentru tot procesul.',
  WEB_RATE_LIMIT_BURST: 'Cereri care pot sosi deodată.',
  WEB_MAX_CONCURRENT_REQUESTS: 'Cereri la care se lucrează în același timp; celelalte își așteaptă rândul.',
  WEB_MAX_WAITING_REQUESTS: 'Cereri care își pot aștepta rândul; ce trece de ele primește 503.',
  WEB_QUERIES_PER_CLAIM: 'Cele mai multe întrebări puse unui furnizor de căutare despre o afirmație.',
  WEB_DNS_TIMEOUT_MS: 'Cel mai lung timp pentru aflarea adresei unui server, în milisecunde.',
  WEB_CONNECT_TIMEOUT_MS: 'Cel mai lung timp pentru conectarea la un server, în milisecunde.',
  WEB_HEADERS_TIMEOUT_MS: 'Cea mai lungă așteptare a antetelor unui răspuns, în milisecunde.',
  WEB_BODY_IDLE_TIMEOUT_MS: 'Cea mai lungă tăcere în cursul unui răspuns, în milisecunde.',
  WEB_MAX_PAGE_BYTES: 'Cea mai mare pagină, în octeți transmiși; de trei ori mai mult după dezarhivare.',
  WEB_HOST_RATE_RPS: 'Cereri pe secundă către același server.',
  WEB_HOST_RATE_BURST: 'Cereri deodată către același server.',
  WEB_EXTRACT_TIMEOUT_MS: 'Cel mai lung timp pentru extragerea textului unei pagini, în milisecunde.',
  WEB_EXTRACT_WORKERS: {
    ro: 'Fire de execuție care extrag textul paginilor; 0: după numărul de procesoare.',
    restart: true,
  },
  WEB_PROVIDER_TIMEOUT_MS: {
    ro: 'Cea mai lungă așteptare a unui furnizor de căutare, în milisecunde.',
    restart: true,
  },
  WEB_CHROMIUM_PAGES: { ro: 'Pagini deschise deodată în Chromium.', restart: true },
  WEB_EVIDENCE_INDEX: { ro: 'Ține indexul local de dovezi și caută în el.', restart: true },
  WEB_STARTER_SET: {
    ro: 'Pune în indexul local setul de pornire cu afirmații demontate de mult.',
    restart: true,
  },
});
