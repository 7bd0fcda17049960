import { z } from 'zod';
import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { ownSettings } from './settings.ts';

/** The settings of the gateway that staff may change. */
export const gatewayLiveSettings = liveSettings('gateway', z.object(ownSettings), {
  GATEWAY_RATE_LIMIT_RPS:
    'Cereri pe secundă pentru fiecare apelant: utilizatorul după token, oricine altcineva după adresa de rețea.',
  GATEWAY_RATE_LIMIT_BURST: 'Cereri pe care un apelant le poate trimite deodată.',
  GATEWAY_LOGIN_RATE_LIMIT_RPS:
    'Formulare și cereri de token pe secundă către furnizorul de identitate, de la aceeași adresă de rețea.',
  GATEWAY_LOGIN_RATE_LIMIT_BURST:
    'Formulare și cereri de token către furnizorul de identitate pe care aceeași adresă de rețea le poate trimite deodată.',
  GATEWAY_BODY_PAUSE_MS: 'Milisecunde cât se poate opri corpul unei cereri înainte de a se renunța la ea.',
  GATEWAY_STREAMS_PER_CALLER:
    'Fluxuri de evenimente pe care un apelant le poate ține deschise în același timp.',
  GATEWAY_BODY_LIMIT: { ro: 'Octeții celui mai mare corp de cerere, în afara încărcărilor.', restart: true },
  GATEWAY_UPLOAD_LIMIT: { ro: 'Octeții celei mai mari încărcări.', restart: true },
  GATEWAY_UPSTREAM_TIMEOUT_MS: {
    ro: 'Milisecunde în care un serviciu trebuie să înceapă răspunsul; o analiză directă durează cel mult 45 s.',
    restart: true,
  },
  GATEWAY_HEADERS_TIMEOUT_MS: {
    ro: 'Milisecunde în care trebuie să sosească antetele unei cereri.',
    restart: true,
  },
  GATEWAY_REQUEST_TIMEOUT_MS: {
    ro: 'Milisecunde în care trebuie să sosească o cerere întreagă, cu tot cu cea mai mare încărcare.',
    restart: true,
  },
});
