/** Reasons about pictures, sounds and videos, part of the table of all reasons. */
export const MEDIA_REASONS = {
  media_reader_missing: {
    en: 'This installation has no program that reads the size and the duration of media.',
    ro: 'Această instalare nu are un program care să citească dimensiunile și durata fișierelor media.',
  },
  media_not_read: {
    en: 'The header of the file could not be read.',
    ro: 'Antetul fișierului nu a putut fi citit.',
  },
  medium_lost: {
    en: 'The file could not be kept because the store of media did not answer.',
    ro: 'Fișierul nu a putut fi păstrat, deoarece depozitul de fișiere media nu a răspuns.',
  },
  medium_step_failed: {
    en: 'The file could not be fetched: the step failed repeatedly.',
    ro: 'Fișierul nu a putut fi preluat: operația a eșuat de mai multe ori.',
  },
  forensic_off: {
    en: 'The forensic service is switched off.',
    ro: 'Serviciul de analiză criminalistică este oprit.',
  },
  forensic_lost: {
    en: 'The picture could not be examined because the forensic service did not answer.',
    ro: 'Imaginea nu a putut fi examinată, deoarece serviciul de analiză criminalistică nu a răspuns.',
  },
  extractors_off: {
    en: 'The extraction service is switched off, so that the text in the picture was not read.',
    ro: 'Serviciul de extragere este oprit, deci textul din imagine nu a fost citit.',
  },
  picture_text_lost: {
    en: 'The text in the picture could not be read because the extraction service did not answer.',
    ro: 'Textul din imagine nu a putut fi citit, deoarece serviciul de extragere nu a răspuns.',
  },
  picture_text_no_engine: {
    en: 'The text in the picture was not read: nothing that reads it is installed where the extractors run.',
    ro: 'Textul din imagine nu a fost citit: unde rulează extractoarele nu este instalat nimic care să îl citească.',
  },
  picture_text_refused: {
    en: 'The text in the picture could not be read: its file cannot be decoded.',
    ro: 'Textul din imagine nu a putut fi citit: fișierul nu poate fi decodat.',
  },
  no_text_in_picture: {
    en: 'There is no text in the picture, or too little of it.',
    ro: 'În imagine nu există text sau există prea puțin.',
  },
  sensitive_not_measured: {
    en: 'Whether the picture shows nudity or violence is unknown: nobody looked for it.',
    ro: 'Nu se știe dacă imaginea arată nuditate sau violență: nu au fost căutate.',
  },
  sensitive_not_installed: {
    en: 'Whether the picture shows nudity or violence is unknown: no model that recognises it is installed.',
    ro: 'Nu se știe dacă imaginea arată nuditate sau violență: nu este instalat niciun model care să le recunoască.',
  },
  sensitive_violence_unknown: {
    en: 'Whether the picture shows violence is unknown: only a vision model of the operator recognises it.',
    ro: 'Nu se știe dacă imaginea arată violență: numai un model de imagini al operatorului o recunoaște.',
  },
  sensitive_nudity_unknown: {
    en: 'Whether the picture shows nudity is unknown: nobody looked for it.',
    ro: 'Nu se știe dacă imaginea arată nuditate: nu a fost căutată.',
  },
  picture_broken: {
    en: 'The picture cannot be decoded: the file is damaged, breaks off, or is not what it says.',
    ro: 'Imaginea nu poate fi decodată: fișierul este deteriorat, incomplet sau nu este ceea ce pretinde.',
  },
  picture_too_large: {
    en: 'The picture is larger than what is examined.',
    ro: 'Imaginea este mai mare decât cele care se examinează.',
  },
  picture_kind_not_examined: {
    en: 'Pictures of this kind are not examined.',
    ro: 'Imaginile de acest tip nu se examinează.',
  },
  picture_not_examined: {
    en: 'The forensic service refused the picture.',
    ro: 'Serviciul de analiză criminalistică a refuzat imaginea.',
  },
  picture_pixels_not_examined: {
    en: 'The quick check reads what the file says of itself, and this file says nothing of models; its pixels were not examined.',
    ro: 'Verificarea rapidă citește ce spune fișierul despre sine, iar acest fișier nu spune nimic despre modele; pixelii nu au fost examinați.',
  },
  picture_no_detector_applies: {
    en: 'No detector of ours can say anything of a picture of this kind and size.',
    ro: 'Niciun detector propriu nu poate spune nimic despre o imagine de acest tip și de această mărime.',
  },
  speech_off: {
    en: 'The speech service is switched off, so that what is said was not transcribed.',
    ro: 'Serviciul de transcriere este oprit, deci ce se spune nu a fost transcris.',
  },
  speech_lost: {
    en: 'What is said could not be transcribed: the speech service gave no transcript.',
    ro: 'Ce se spune nu a putut fi transcris: serviciul de transcriere nu a dat niciun rezultat.',
  },
  speech_no_engine: {
    en: 'No speech engine is set up in this installation, so that what is said was not transcribed.',
    ro: 'În această instalare nu este configurat niciun motor de transcriere, deci ce se spune nu a fost transcris.',
  },
  speech_language_unknown: {
    en: 'The only speech engine here hears English alone and is not asked where the language is unknown, so that what is said was not transcribed.',
    ro: 'Singurul motor de transcriere de aici înțelege doar engleza și nu este folosit când limba nu este cunoscută, deci ce se spune nu a fost transcris.',
  },
  speech_low_confidence: {
    en: 'The speech engine that was used hears about every third word wrong: its words are shown as a hint, and no technique or claim is sought in them.',
    ro: 'Motorul de transcriere folosit aude greșit cam fiecare al treilea cuvânt: cuvintele lui sunt arătate orientativ și nu se caută în ele tehnici sau afirmații.',
  },
  speech_no_words: {
    en: 'Something like a voice is heard, but the speech engine made out no words.',
    ro: 'Se aude ceva asemănător unei voci, dar motorul de transcriere nu a distins niciun cuvânt.',
  },
  nothing_said: {
    en: 'No voice is heard in the recording.',
    ro: 'În înregistrare nu se aude nicio voce.',
  },
  too_little_said: {
    en: 'Too little is said or shown in the recording to be analysed.',
    ro: 'În înregistrare se spune sau se arată prea puțin pentru a fi analizat.',
  },
  recording_without_sound: {
    en: 'The recording has no sound track.',
    ro: 'Înregistrarea nu are pistă audio.',
  },
  recording_broken: {
    en: 'The recording cannot be decoded: the file is damaged, breaks off, or is not what it says.',
    ro: 'Înregistrarea nu poate fi decodată: fișierul este deteriorat, incomplet sau nu este ceea ce pretinde.',
  },
  recording_too_long: {
    en: 'The recording is longer or larger than what is examined.',
    ro: 'Înregistrarea este mai lungă sau mai mare decât cele care se examinează.',
  },
  recording_not_examined: {
    en: 'The recording was refused by the service that should have examined it.',
    ro: 'Înregistrarea a fost refuzată de serviciul care trebuia să o examineze.',
  },
  recording_examination_lost: {
    en: 'The recording could not be examined: no service that examines recordings gave a result.',
    ro: 'Înregistrarea nu a putut fi examinată: niciun serviciu care examinează înregistrări nu a dat un rezultat.',
  },
  recording_no_detector_applies: {
    en: 'No detector can say anything of this recording.',
    ro: 'Niciun detector nu poate spune nimic despre această înregistrare.',
  },
  recording_not_decoded: {
    en: 'The quick check reads what the file says of itself, and this file says nothing of models; it was neither heard nor watched.',
    ro: 'Verificarea rapidă citește ce spune fișierul despre sine, iar acest fișier nu spune nimic despre modele; nu a fost nici ascultat, nici vizionat.',
  },
  page_picture_unreachable: {
    en: 'The picture of the page could not be fetched from its address.',
    ro: 'Imaginea din pagină nu a putut fi preluată de la adresa ei.',
  },
  page_picture_too_small: {
    en: 'The picture is too small to belong to the story: such are logos, portraits of authors and buttons.',
    ro: 'Imaginea este prea mică pentru a ține de articol: așa sunt siglele, portretele autorilor și butoanele.',
  },
  page_picture_repeated: {
    en: 'The page shows this picture more than once; it was looked at where it comes first.',
    ro: 'Pagina arată această imagine de mai multe ori; a fost examinată acolo unde apare prima dată.',
  },
  page_picture_not_in_time: {
    en: 'There was no time left to look at this picture of the page.',
    ro: 'Nu a mai rămas timp pentru examinarea acestei imagini din pagină.',
  },
  page_picture_not_kept: {
    en: 'The picture of the page could not be stored, so that it was not examined.',
    ro: 'Imaginea din pagină nu a putut fi stocată, deci nu a fost examinată.',
  },
  recording_overview_lost: {
    en: 'The recording could not be drawn, nor what is written in it read: the extraction service did not answer.',
    ro: 'Înregistrarea nu a putut fi desenată, nici textul din ea citit: serviciul de extragere nu a răspuns.',
  },
  video_off: {
    en: 'The video service is switched off.',
    ro: 'Serviciul video este oprit.',
  },
  video_lost: {
    en: 'The video service gave no answer.',
    ro: 'Serviciul video nu a dat niciun răspuns.',
  },
  frames_unwatched: {
    en: 'Nobody looked at the frames: no vision model server is set up, or the video cannot be decoded.',
    ro: 'Nimeni nu s-a uitat la cadre: nu este configurat niciun server de modele de imagini sau înregistrarea nu poate fi decodată.',
  },
  left_out_under_load: {
    en: 'It was left out because many recordings are waiting.',
    ro: 'A fost lăsată deoparte, deoarece multe înregistrări așteaptă.',
  },
  recording_tools_missing: {
    en: 'The programs that read recordings are not installed where the extractors run.',
    ro: 'Programele care citesc înregistrări nu sunt instalate acolo unde rulează extractoarele.',
  },
  recording_part_late: {
    en: 'It was not ready within the time that it has.',
    ro: 'Nu a fost gata în timpul pe care îl are la dispoziție.',
  },
  recording_part_not_made: {
    en: 'It could not be made of this file.',
    ro: 'Nu a putut fi făcută din acest fișier.',
  },
} as const;
