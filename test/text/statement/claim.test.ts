import { expect, it } from 'vitest';
import { loadClaimParser } from '../../../src/services/brain/claims.ts';

const reader = loadClaimParser();
type Said = readonly [language: 'en' | 'ro', text: string];
const isSame = ([language, one]: Said, [other, two]: Said) =>
  reader.match(reader.read(one, language), reader.read(two, other), 0).isSame;

it.each<[Said, Said]>([
  [
    ['en', '5G causes COVID.'],
    ['en', '5G causes COVID-19.'],
  ],
  [
    ['en', 'Obama was not born in the US.'],
    ['en', 'Obama was not born in the United States of America.'],
  ],
  [
    ['en', 'The flu jab gives you the flu.'],
    ['en', 'The flu vaccine causes the flu.'],
  ],
  [
    ['ro', 'Pocnitul degetelor dă artrită.'],
    ['ro', 'Pocnitul degetelor provoacă artrită.'],
  ],
  [
    ['ro', 'Pocnitul degetelor da artrita'],
    ['ro', 'Pocnitul degetelor provoacă artrită.'],
  ],
  [
    ['ro', 'Vulcanii emit mai mult dioxid de carbon decât oamenii.'],
    ['ro', 'Vulcanii emit mai mult CO2 decât oamenii.'],
  ],
  [
    ['ro', 'Uniunea Europeană interzice hârtia igienică.'],
    ['ro', 'UE interzice hârtia igienică.'],
  ],
])('%j says the same as %j', (one, other) => {
  expect(isSame(one, other)).toBe(true);
});

it.each<[Said, Said]>([
  [
    ['ro', 'Nu este adevărat că n-a existat niciun Holocaust.'],
    ['ro', 'N-a existat niciun Holocaust.'],
  ],
  [
    ['en', 'A cold is caused by a coronavirus.'],
    ['en', 'A cold is caused by COVID.'],
  ],
  [
    ['en', 'The flu vaccine prevents the flu.'],
    ['en', 'The flu vaccine causes the flu.'],
  ],
  [
    ['en', 'Vaccines cause autism.'],
    ['en', 'Vaccines do not give autism.'],
  ],
  [
    ['en', 'The virus spread from China to America.'],
    ['en', 'The virus spread from the US to China.'],
  ],
])('%j does not say the same as %j', (one, other) => {
  expect(isSame(one, other)).toBe(false);
});
