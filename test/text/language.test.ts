import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';
import { identifyLanguage } from '../../src/text/language.ts';
import { loadLinear } from '../../src/text/linear.ts';

const model = loadLinear(readFileSync(packageFile('models', 'language.bin')));

const cases: [string, string][] = [
  ['en', 'The council voted on Monday to close the bridge for repairs.'],
  ['en', 'You won’t believe what they are hiding from us!!! 😀'],
  ['ro', 'Consiliul local a votat luni închiderea podului pentru reparații.'],
  ['ro', 'Consiliul local a votat luni inchiderea podului pentru reparatii.'],
  ['ro', 'Guvernul a anunţat că preţul energiei va fi plafonat până în martie.'],
  ['fr', 'Le conseil municipal a décidé lundi de fermer le pont pour des réparations.'],
  ['de', 'Der Stadtrat hat am Montag beschlossen, die Brücke wegen Reparaturen zu sperren.'],
  ['it', 'Il consiglio comunale ha votato lunedì la chiusura del ponte per riparazioni.'],
  ['hu', 'A városi tanács hétfőn megszavazta a híd lezárását a javítások miatt.'],
  ['ru', 'В понедельник городской совет проголосовал за закрытие моста на ремонт.'],
  ['uk', 'У понеділок міська рада проголосувала за закриття мосту на ремонт, її рішення є остаточним.'],
  ['el', 'Το δημοτικό συμβούλιο ψήφισε τη Δευτέρα το κλείσιμο της γέφυρας.'],
  ['ja', '市議会は月曜日に橋の閉鎖を決定しました。'],
  ['zh', '市议会周一投票决定关闭大桥进行维修。'],
  ['fa', 'شورای شهر روز دوشنبه به بستن پل برای تعمیرات رأی داد و کار را آغاز کرد.'],
  ['en', 'Please help.'],
  ['en', 'uh, where?'],
  ['ro', 'Mulțumesc!'],
  ['und', 'OK 123 !!!'],
  ['und', 'Ana Popa'],
  ['und', 'any?'],
  ['und', ''],
  ['und', '😀😀😀 12.05.2024'],
];

describe('identifyLanguage', () => {
  it.each(cases)('%s: %s', (code, text) => {
    expect(identifyLanguage(model, text).code).toBe(code);
  });

  it('judges a long text by pieces of it', () => {
    const answer = identifyLanguage(
      model,
      'Primarul a spus că lucrările vor începe luna viitoare. '.repeat(900),
    );
    expect(answer.code).toBe('ro');
    expect(answer.confidence).toBeGreaterThan(0.9);
  });
});
