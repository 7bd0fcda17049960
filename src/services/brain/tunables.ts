import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { brainSettings } from './settings.ts';

/** The settings of the verification cache that staff may change. */
export const brainLiveSettings = liveSettings('brain', brainSettings, {
  BRAIN_CONFIRM: 'Asemănarea de la care o afirmație trece drept una cunoscută.',
  BRAIN_CONCURRENT_GATHERS:
    'Afirmații pentru care se strâng dovezi în același timp; apelanții își așteaptă rândul.',
  BRAIN_WAITING_GATHERS: 'Afirmații care pot aștepta strângerea dovezilor.',
  BRAIN_CALLER_SHARE: 'Afirmații ale unui apelant care pot aștepta sau pentru care se strâng dovezi.',
  BRAIN_FIRST_CHECK_HOURS:
    'Ore până când un fapt nou este verificat din nou; se dublează cât timp nu se schimbă nimic.',
  BRAIN_LONGEST_CHECK_HOURS: 'Cele mai multe ore dintre două verificări.',
  BRAIN_RECHECK_SECONDS: 'Secunde între două căutări ale faptelor de verificat din nou; 0: niciodată.',
  BRAIN_RECHECK_DAYS: 'Faptele despre care nu a întrebat nimeni de atâtea zile nu se mai verifică.',
  BRAIN_FACT_DAYS:
    'Zile după care se șterge un fapt despre care nu a întrebat nimeni și pe care nu l-a judecat sau blocat nimeni; 0: niciodată.',
  BRAIN_INVALIDATIONS_PER_HOUR: 'De câte ori pe oră poate cineva să golească memoria de o afirmație.',
});
