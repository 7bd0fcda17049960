import { parseHTML } from 'linkedom';
import { expect, it } from 'vitest';
import { htmlReport } from '../../../../src/services/analysis/report/html-report.ts';
import { shownPictures } from '../../../../src/services/analysis/report/picture-section.ts';
import { aiBlock } from '../pipeline/blocks.ts';
import { DRAWN, imageAnalysis } from '../resources/pictures.ts';
import { sampleSession, sourceOf } from './sample.ts';

const image = imageAnalysis();
const session = sampleSession({ ai_tampered: aiBlock(70, { image_analysis: image }) });
const shown = shownPictures(image);
const pictures = new Map(shown.map(({ media_id }) => [media_id, 'data:image/png;base64,AAAA']));
const report = (languages: ['en' | 'ro']) => {
  return parseHTML(htmlReport({ ...sourceOf(session), pictures }, languages)).document;
};

it('shows the picture, the map of what was found, and the history of the file', () => {
  expect(shown.map(({ media_id }) => media_id)).toEqual([image.preview?.media_id, DRAWN.media_id]);
  const document = report(['en']);
  const section = document.querySelector('#en-picture');
  expect(section?.querySelectorAll('img')).toHaveLength(2);
  const policy = document.querySelector('meta[http-equiv]')?.getAttribute('content');
  expect(policy).toContain('img-src data:;');
  expect(section?.querySelector('img[alt="Copied parts"]')?.getAttribute('src')).toMatch(/^data:image/);
  const text = section?.textContent ?? '';
  expect(text).toContain('Cannot say anything of this picture: It says so.');
  expect(text).toContain('Nobody checked who the signer is: anybody can sign under any name.');
  expect(text).toContain('photo.jpg: Editor, Signer <A>, 1 May 2024');
  expect(text).toContain('A person decided on this picture or a near copy on 3 May 2024');
});

it('reads in Romanian, and needs no picture that is gone', () => {
  const { document } = parseHTML(htmlReport(sourceOf(session), ['ro']));
  const section = document.querySelector('#ro-picture');
  expect(section?.querySelectorAll('img')).toHaveLength(0);
  expect(section?.textContent).toContain('Semnăturile și amprentele sunt în regulă');
});

it('is called by its kind, and has no part for words where there are none', () => {
  const { document } = parseHTML(
    htmlReport(
      sourceOf({
        ...session,
        ...{
          input_type: 'image',
          input_text: null,
          input_title: null,
          input_url: null,
          input_language: 'und',
        },
        input_media_url: 'http://127.0.0.1/media/file/media/2026-01-01/00',
        ai_tampered: aiBlock(70, { image_analysis: image, content_type: 'image' }),
      }),
      ['en'],
    ),
  );
  expect(document.querySelector('h1')?.textContent).toBe('Image');
  const head = document.querySelector('header')?.textContent;
  expect(head).not.toContain('root');
  expect(head).not.toContain('Language');
  expect(document.querySelector('#en-text')).toBeNull();
  const facts = document.querySelector('#en-ai')?.textContent;
  expect(facts).toContain('Probability of AI or tampering');
});
