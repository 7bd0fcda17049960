import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOnnxInstalled, onnxFolder } from '../foundation/onnx/runtime.ts';
import { type Environment, parseSettings } from '../foundation/settings.ts';
import { missingPrograms } from '../media/recording/programs.ts';
import { availableIsolation, type Isolation } from '../media/sandbox.ts';
import { languageFile, OCR_LANGUAGES, type OcrLanguage } from '../services/extractors/ocr/tesseract.ts';
import { isRecognitionInstalled, recognitionFolder } from '../services/extractors/recognition/packages.ts';
import { listSpeechModels } from '../services/speech/backends/model-folder.ts';
import { isPocketsphinxInstalled } from '../services/speech/backends/pocketsphinx.ts';
import { isSpeechInstalled, speechFolder } from '../services/speech/backends/sherpa-runtime.ts';
import { speechSettings } from '../services/speech/settings.ts';
import type { DoctorCheck } from './doctor-check.ts';

function recordings(): DoctorCheck {
  const missing = missingPrograms();
  return missing.length === 0
    ? { name: 'Recordings', state: 'good', words: 'ffmpeg and ffprobe are installed' }
    : {
        name: 'Recordings',
        state: 'absent',
        words: `${missing.join(' and ')} not installed: sound and video are not examined; install ffmpeg (apt install ffmpeg, brew install ffmpeg)`,
      };
}

const SANDBOXES: Readonly<Record<Isolation, Omit<DoctorCheck, 'name'>>> = {
  bubblewrap: { state: 'good', words: 'bubblewrap: decoders see no network and no files of yours' },
  limits: {
    state: 'absent',
    words:
      'decoders have limits of memory and time alone; install bubblewrap (apt install bubblewrap), and in a container allow user namespaces',
  },
  process: {
    state: 'absent',
    words: 'decoders are plain processes; install bubblewrap and util-linux (prlimit), which Linux alone has',
  },
};

/** Tesseract comes with the package; its data may have been left out or lost. */
function writtenLanguages(): DoctorCheck[] {
  return (Object.keys(OCR_LANGUAGES) as OcrLanguage[]).map((language) => {
    const name = `Text in pictures, ${language}`;
    const isThere = (() => {
      try {
        return existsSync(languageFile(language));
      } catch {
        return false;
      }
    })();
    return isThere
      ? { name, state: 'good', words: 'the data of Tesseract is there' }
      : {
          name,
          state: 'wrong',
          words: 'the data of Tesseract is missing: reinstall the package (npm install)',
        };
  });
}

function onnx(): DoctorCheck {
  return isOnnxInstalled(onnxFolder())
    ? { name: 'ONNX runtime', state: 'good', words: 'is installed' }
    : {
        name: 'ONNX runtime',
        state: 'absent',
        words:
          'is needed for sentence encoders and cross-encoders of yours alone; get it by limpede setup onnx',
      };
}

function recognition(): DoctorCheck {
  return isRecognitionInstalled(recognitionFolder())
    ? { name: 'Recognition', state: 'good', words: 'faces, objects and nudity in pictures' }
    : {
        name: 'Recognition',
        state: 'absent',
        words:
          'faces, objects and nudity in pictures are not looked for; get it by limpede setup recognition',
      };
}

async function speechModels(home: string): Promise<DoctorCheck> {
  const name = 'Speech models';
  const models = await listSpeechModels(join(home, 'models'));
  const isThere = isSpeechInstalled(speechFolder());
  if (!isThere)
    return {
      name,
      state: models.length > 0 ? 'wrong' : 'absent',
      words: 'what runs them is not installed; get it by limpede setup speech, or set SPEECH_UPSTREAM_URL',
    };
  const whole = models.filter(({ missing }) => missing.length === 0);
  const gaps = models
    .filter(({ missing }) => missing.length > 0)
    .map(({ id, missing }) => `${id} lacks ${missing.join(', ')}`);
  if (gaps.length > 0) return { name, state: 'wrong', words: gaps.join('; ') };
  return whole.length > 0
    ? { name, state: 'good', words: whole.map(({ id }) => id).join(', ') }
    : {
        name,
        state: 'absent',
        words: `there is none: put a folder as sherpa-onnx publishes it (tokens.txt and .onnx files) into ${join(home, 'models')}`,
      };
}

function pocketsphinx(environment: Environment): DoctorCheck {
  const name = 'Speech, pocketsphinx';
  const { SPEECH_POCKETSPHINX: isOn } = parseSettings(
    speechSettings.pick({ SPEECH_POCKETSPHINX: true }),
    environment,
  );
  if (!isOn) return { name, state: 'absent', words: 'switched off by SPEECH_POCKETSPHINX' };
  return isPocketsphinxInstalled()
    ? { name, state: 'good', words: 'English, a hint: about every third word is wrong' }
    : {
        name,
        state: 'absent',
        words:
          'not installed: a hint of what is said in English, by apt install pocketsphinx pocketsphinx-en-us',
      };
}

/** Programs, data and engines that pictures, sound and video need, and how to get those that are missing. */
export async function mediaChecks(home: string, environment: Environment): Promise<DoctorCheck[]> {
  return [
    recordings(),
    { name: 'Sandbox', ...SANDBOXES[availableIsolation()] },
    ...writtenLanguages(),
    onnx(),
    recognition(),
    await speechModels(home),
    pocketsphinx(environment),
  ];
}
