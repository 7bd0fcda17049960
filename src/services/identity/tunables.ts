import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { identitySettings } from './settings.ts';

/** The settings of the embedded provider that staff may change. */
export const identityLiveSettings = liveSettings('identity', identitySettings, {
  IDENTITY_LOGIN_ATTEMPTS:
    'Încercări de autentificare pe care le are o adresă pentru un nume de utilizator înainte de a trebui să aștepte.',
  IDENTITY_LOGIN_PAUSE_SECONDS: 'Secunde după care se mai acordă o încercare de autentificare.',
  IDENTITY_ACCESS_TOKEN_SECONDS: { ro: 'Cât este valabil un token de acces, în secunde.', restart: true },
  IDENTITY_SESSION_SECONDS: {
    ro: 'Cât rămâne autentificată o persoană și cât este valabil un token de reînnoire, în secunde.',
    restart: true,
  },
});
